import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { openDatabase } from "../../../src/db/index.js";
import { ConnectionError } from "../../../src/errors/index.js";
import { PostgresSaver } from "../../../src/index.js";
import { diagnose, type DiagnoseOptions } from "../../../src/doctor/diagnose.js";
import type { Finding } from "../../../src/doctor/finding.js";
import { putValues, threadConfig } from "../../../test-support/checkpoints.js";
import { describeServer, type TestDatabase } from "../../../test-support/targets.js";
import { cli } from "../cli.js";
import { complaints, examine, OPTIONS } from "./examine.js";

describeServer("doctor on a server", (target) => {
  let database: TestDatabase<string>;
  const roles: string[] = [];

  beforeEach(async () => {
    database = await target.migratedDatabase();
    await using saver = new PostgresSaver(database.source);
    await putValues(saver, threadConfig("42"), { plan: "A" });
  });
  afterEach(async () => {
    for (const role of roles.splice(0)) await database.exec(`drop owned by ${role}; drop role ${role}`);
  });

  async function newRole(): Promise<{ role: string; url: string }> {
    const role = `doctor_${randomBytes(8).toString("hex")}`;
    await database.exec(`create role ${role} login password 'secret'`);
    roles.push(role);
    const url = new URL(database.source);
    [url.username, url.password] = [role, "secret"];
    return { role, url: url.href };
  }

  /** Changes a setting for future connections to the database. */
  async function set(setting: string, value: string): Promise<void> {
    const name = new URL(database.source).pathname.slice(1);
    await database.exec(`alter database ${name} set ${setting} = '${value}'`);
  }

  async function found(check: string, options: Partial<DiagnoseOptions> = {}) {
    return complaints(await examine(database, options), check);
  }

  it("lists the privileges that a role lacks, with remedies that grant them", async () => {
    const { role, url } = await newRole();
    const asRole = async (check: string) => complaints(await examine(database, {}, url), check);
    await database.exec("create schema agents");
    expect(complaints(await examine(database, { schema: "agents" }, url), "schema")).toMatchObject([
      { state: "error", remedy: `grant usage on schema "agents" to "${role}"` },
    ]);
    const grants = await cli(["migrate", "--print-grants", "--read-write", role, "--read-only", role]);
    await database.exec(grants.stdout);
    expect(await asRole("privileges")).toEqual([]);

    await database.exec(`revoke insert, delete on checkpoint_writes from ${role}`);
    await database.exec(`revoke select on checkpoint_kysely_migration from ${role}`);
    const findings = await asRole("privileges");
    expect(findings).toEqual([
      {
        state: "warning",
        message: `role "${role}" can't read "checkpoint_kysely_migration", which records the applied migrations`,
        remedy: `grant select on "public"."checkpoint_kysely_migration" to "${role}"`,
      },
      {
        state: "error",
        message: `role "${role}" lacks insert, delete on "checkpoint_writes"`,
        remedy: `grant insert, delete on "public"."checkpoint_writes" to "${role}"`,
      },
    ]);
    expect((await cli(["doctor", "--url", url])).code).toBe(1);
    for (const { remedy = "" } of findings) await database.exec(remedy);
    expect(await asRole("privileges")).toEqual([]);
  });

  it("warns about a read-only role, and reports checks that it could not run", async () => {
    const { role, url } = await newRole();
    await database.exec(`grant select on all tables in schema public to ${role}`);
    const findings = await examine(database, {}, url);
    expect(complaints(findings, "privileges")).toMatchObject([
      { state: "warning", message: `role "${role}" can read threads, but not write them` },
    ]);
    await database.exec(`revoke all on checkpoints from ${role}`);
    const transaction = database.kysely().startTransaction();
    const open = await transaction.execute();
    const { code, stdout } = await cli(["doctor", "--url", url]);
    await open.rollback().execute();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^unknown +ids +role "\w+" can't read "checkpoints"/m);
    expect(stdout).toMatch(/^unknown +vacuum +this role can't see the sessions of other roles/m);
    expect(stdout).toMatch(/^unknown +rows +role "\w+" can't read "checkpoints"/m);
    expect(stdout).toContain("3 unknown");
  });

  it("reports row-level security as active for a role that is subject to policies", async () => {
    const { role, url } = await newRole();
    await database.exec(`grant select, insert, update, delete on all tables in schema public to ${role}`);
    const tables = ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_tombstones"];
    for (const table of [...tables, "checkpoint_kysely_migration"]) {
      await database.exec(`alter table ${table} enable row level security`);
    }
    const withoutPolicy = await examine(database, {}, url);
    expect(complaints(withoutPolicy, "row security")).toEqual([
      {
        state: "error",
        message:
          'on for "checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_tombstones", "checkpoint_kysely_migration", ' +
          `without a policy for role "${role}": privileges for select, insert, update, delete have no effect`,
        remedy: expect.stringContaining(
          'alter table "public"."checkpoints" disable row level security; alter table',
        ),
      },
    ]);
    // The hidden record is not taken for an empty one.
    expect(complaints(withoutPolicy, "schema")).toEqual([]);
    for (const table of tables)
      await database.exec(`create policy everything on ${table} to ${role} using (true)`);
    await database.exec("alter table checkpoint_kysely_migration disable row level security");
    const of = (findings: Finding[]) => findings.find(({ check }) => check === "row security")?.message;
    expect(of(await examine(database, {}, url))).toMatch(/^active: /);
    expect(of(await examine(database))).toMatch(/^on, but role .* bypasses it/);
  });

  it("finds an idle session with an open transaction that has written", async () => {
    const writer = await database
      .kysely<{ checkpoint_migrations: { v: number } }>()
      .startTransaction()
      .execute();
    await writer.insertInto("checkpoint_migrations").values({ v: 99 }).execute();
    expect(await found("vacuum", { limits: { idleTransactionMs: -1 } })).toMatchObject([
      { state: "warning", remedy: expect.stringMatching(/^end it: select pg_terminate_backend\(\d+\)/) },
    ]);
    expect(await found("vacuum")).toEqual([]);
    await writer.rollback().execute();
    expect(await found("vacuum", { limits: { idleTransactionMs: -1 } })).toEqual([]);
  });

  it("does not report the session that holds a thread lock", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.withThreadLock("42", async () => {
      expect(await found("vacuum", { limits: { idleTransactionMs: -1 } })).toEqual([]);
    });
  });

  it.each([
    ["default_transaction_read_only", "on", "read-only", "error", /^transactions are read-only by default$/],
    ["synchronous_commit", "off", "settings", "warning", /^synchronous_commit is off: a crash of the server/],
    ["statement_timeout", "4s", "settings", "warning", /^statement_timeout is 4000 ms, /],
    [
      "idle_in_transaction_session_timeout",
      "500ms",
      "settings",
      "warning",
      /^idle_in_transaction_\w+ is 500 ms/,
    ],
  ])("reports %s = %s", async (setting, value, check, state, message) => {
    await set(setting, value);
    expect(await found(check)).toContainEqual({
      state,
      message: expect.stringMatching(message),
      remedy: expect.anything(),
    });
  });

  it("reports no pooler if there is none, however old the connection is", async () => {
    const findings = await examine(database, { limits: { ...OPTIONS.limits, poolerAgeMs: 0 } });
    expect(findings).toContainEqual({ check: "pooler", state: "ok", message: "no pooler detected" });
  });

  it("warns if the collation of an official saver's keys has changed since their indexes were built", async () => {
    await database.exec(`
      alter table checkpoint_blobs alter column thread_id type text collate "default";
      update pg_database set datcollversion = 'older' where datname = current_database()`);
    const [{ state, message, remedy = "" } = { state: "ok", message: "" }] = await found("collation");
    expect(state).toBe("warning");
    expect(message).toContain("may not find rows");
    for (const statement of remedy.split("; ")) await database.exec(statement.replace(/^then /, ""));
    expect(await found("collation")).toEqual([]);
  });

  it("warns if few connections are left", async () => {
    expect(await found("connections", { limits: { connectionShare: 0 } })).toMatchObject([
      { state: "warning", message: expect.stringMatching(/^\d+ of \d+ connections are in use$/) },
    ]);
  });

  it("reports an encoding that can't store every text as an error", async () => {
    const name = `doctor_${randomBytes(8).toString("hex")}`;
    await database.exec(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const url = new URL(database.source);
    url.pathname = `/${name}`;
    try {
      expect(complaints(await examine(database, {}, url.href), "encoding")).toMatchObject([
        { state: "error", message: expect.stringContaining("is encoded in LATIN1") },
      ]);
    } finally {
      await database.exec(`drop database ${name} with (force)`);
    }
  });

  it("does not wait for locks, and continues with the next check", async () => {
    const holder = await database.kysely().startTransaction().execute();
    await sql`lock table checkpoints in access exclusive mode`.execute(holder);
    const findings = await examine(database, { limits: { ...OPTIONS.limits, checkMs: 50 } });
    await holder.rollback().execute();
    for (const check of ["ids", "bloat"]) {
      expect(complaints(findings, check)).toMatchObject([
        { state: "unknown", message: expect.stringMatching(/^the check took longer than 50 ms/) },
      ]);
    }
    expect(findings).toContainEqual(expect.objectContaining({ check: "clock", state: "ok" }));
    expect(findings).toContainEqual(expect.objectContaining({ check: "privileges", state: "ok" }));
  });

  it("throws if the server goes away during the checks", async () => {
    const opened = openDatabase(database.source);
    const stopped = diagnose(opened.kysely, {
      ...OPTIONS,
      now: () => {
        void opened.close();
        return Date.now();
      },
    });
    await expect(stopped).rejects.toBeInstanceOf(ConnectionError);
    await opened.close();
  });
});
