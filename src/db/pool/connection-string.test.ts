import { describe, expect, it } from "@jest/globals";
import pg from "pg";
import { READABLE, UNREADABLE, type UrlParts } from "./test-support/mistyped-urls.js";
import { connectionStringFault } from "./connection-string.js";
import { isPGliteUrl, pgliteUrlFault } from "../pglite/pglite-url.js";

const PARTS: UrlParts = { user: "app", password: "Hunter2Secret", server: "db:5432", database: "agents" };

describe("a connection string", () => {
  it.each([
    ["postgres://localhost/agents", { host: "localhost", database: "agents" }],
    [
      "postgresql://app:secret@db.example.com:6432/agents?sslmode=disable",
      { host: "db.example.com", port: 6432 },
    ],
    ["postgres://app:secret@[::1]:5433/agents", { host: "::1", port: 5433 }],
    ["postgres://app:se%40cret%2F@db/my%20agents", { password: "se@cret/", database: "my agents" }],
    ["postgres://app:a@b@db/agents", { password: "a@b", host: "db" }],
    ["postgres://app:100%@db/agents", { password: "100%", host: "db" }],
    ["postgres://app:a b@db/agents", { password: "a b", host: "db" }],
    ["postgres://app%40tenant:x@db/agents", { user: "app@tenant", host: "db" }],
    ["postgres://db/agents?user=app@tenant&password=a@b", { user: "app@tenant", password: "a@b" }],
    [
      "postgres://app:x@/agents?host=/var/run/postgresql",
      { host: "/var/run/postgresql", database: "agents" },
    ],
    [
      "postgres://app:x@/agents?host=/cloudsql/project:region:name",
      { host: "/cloudsql/project:region:name" },
    ],
    [
      "postgres://app:x@%2Fcloudsql%2Fproject%3Aregion%3Aname/agents",
      { host: "/cloudsql/project:region:name" },
    ],
    ["socket:/var/run/postgresql?db=agents", { host: "/var/run/postgresql", database: "agents" }],
    ["socket://app:x@/var/run/postgresql?db=agents", { host: "/var/run/postgresql", user: "app" }],
    ["/var/run/postgresql agents", { host: "/var/run/postgresql", database: "agents" }],
    ["postgres://db/agents?options=-c%20search_path%3Da&application_name=me@here", { host: "db" }],
    ["postgres://ep-1.eu.neon.tech/agents?options=endpoint%3Dep-1", { host: "ep-1.eu.neon.tech" }],
    ["postgres://dbß.example/agentß-1.2_3$", { database: "agentß-1.2_3$" }],
    ["postgres://app:x@db/agents\n", { host: "db", database: "agents" }],
  ])("that pg parses is accepted: %s", (text, expected) => {
    expect(connectionStringFault(text)).toBeUndefined();
    const { user, password, host, port, database } = new pg.Client(text);
    expect({ user, password, host, port, database }).toMatchObject(expected);
  });

  it.each(READABLE)("that is well-formed is accepted: %s", (_what, mistype) => {
    expect(connectionStringFault(mistype(PARTS))).toBeUndefined();
  });

  it.each(UNREADABLE)("is refused without quoting it: %s", (_what, mistype) => {
    const url = mistype(PARTS);
    const fault = isPGliteUrl(url) ? pgliteUrlFault(url) : connectionStringFault(url);
    expect(fault).toMatch(/^(?:it|its|the) /);
    expect(fault).not.toMatch(/Hunter2|app|agents/);
  });

  it.each([
    "file://folder",
    "file:///home/me@example.com/agents",
    "file://./a:b/c",
    "file://../x=y",
    "memory://",
  ])("for PGlite is accepted: %s", (url) => {
    expect(pgliteUrlFault(url)).toBeUndefined();
  });
});
