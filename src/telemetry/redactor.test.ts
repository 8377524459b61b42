import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../tests/support/runs.js";
import { createRedactor } from "./redactor.js";

const FIELDS = { user: "app", host: "db.example.com", database: "agents" };

const urlWith = (password: string): string =>
  `postgres://${FIELDS.user}:${password}@${FIELDS.host}:5432/${FIELDS.database}?sslmode=disable`;

// Long, and unlike anything else in a message, so that its absence means that it was masked.
const password = fc.string({ unit: "binary", minLength: 6 }).filter((text) => !urlWith("").includes(text));

describe("masking passwords", () => {
  it("hides a password in every spelling of it, whatever it is made of", () => {
    fc.assert(
      fc.property(password, (secret) => {
        const encoded = encodeURIComponent(secret);
        const redact = createRedactor([urlWith(encoded)]);
        const text = redact(`as given ${encoded}, as sent ${secret}, as quoted "${urlWith(encoded)}"`);
        expect(text).toBe(`as given ***, as sent ***, as quoted "${urlWith("***")}"`);
      }),
      runs(100),
    );
  });

  it("hides one that should have been encoded, whole and in the pieces that a parser makes of it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[A-Z]{4,8}$/), { minLength: 2, maxLength: 4 }),
        fc.constantFrom("/", "?", "#", "@", ":"),
        (pieces, separator) => {
          const redact = createRedactor([urlWith(pieces.join(separator))]);
          const text = redact([pieces.join(separator), ...pieces].join(" "));
          expect(text).toMatch(/^[*\s]+$/);
        },
      ),
      runs(100),
    );
  });

  it.each([
    ["without a scheme", "app:hunter22@db/agents"],
    ["with half a scheme", "postgres:/app:hunter22@db/agents"],
    ["as an option's value", "--url=postgres://app:hunter22@db/agents"],
    ["of key=value", "host=db user=app password=hunter22 dbname=agents"],
    ["of key = 'value'", "host = db password = 'hunter22'"],
    ["in a query", "postgres://db/agents?user=app&password=hunter22&sslmode=require"],
  ])("finds it in a connection string %s", (_where, text) => {
    expect(createRedactor([text])("denied: hunter22")).toBe("denied: ***");
  });

  it("hides a password that stands alone", () => {
    expect(createRedactor([], ["hunter22"])("denied: hunter22")).toBe("denied: ***");
    expect(createRedactor([], [""])("denied")).toBe("denied");
  });

  it("hides a short one where it stands by itself, and leaves the words alone that have it in them", () => {
    expect(createRedactor(["postgres://app:a@db/agents"])("a bad password: a, app:a@db")).toBe(
      "*** bad password: ***, app:***@db",
    );
  });

  it("shows names, though the password be the same", () => {
    const redact = createRedactor(["postgres://postgres:postgres@localhost/agents"]);
    expect(redact('password authentication failed for user "postgres"')).toContain('"postgres"');
  });

  it("changes no text that has no password in it", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(createRedactor(["postgres://db.example.com:5432/agents", "migrate", "--check"])(text)).toBe(
          text,
        );
      }),
      runs(100),
    );
  });
});
