import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { createRedactor } from "./redactor.js";

const FIELDS = { user: "app", host: "db.example.com", database: "agents" };

const urlWith = (password: string): string =>
  `postgres://${FIELDS.user}:${password}@${FIELDS.host}:5432/${FIELDS.database}?sslmode=disable`;

// Long, and different from the rest of the message, so that its absence means that it was masked.
const password = fc.string({ unit: "binary", minLength: 6 }).filter((text) => !urlWith("").includes(text));

describe("createRedactor", () => {
  it("masks a password in every encoding, whatever its characters", () => {
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

  it("masks a password that should have been encoded, whole and in the pieces that a parser makes of it", () => {
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
  ])("finds a password in a connection string %s", (_where, text) => {
    expect(createRedactor([text])("denied: hunter22")).toBe("denied: ***");
  });

  it("masks a password passed on its own", () => {
    expect(createRedactor([], ["hunter22"])("denied: hunter22")).toBe("denied: ***");
    expect(createRedactor([], [""])("denied")).toBe("denied");
  });

  it("masks a short password as a whole word only", () => {
    expect(createRedactor(["postgres://app:a@db/agents"])("a bad password: a, app:a@db")).toBe(
      "*** bad password: ***, app:***@db",
    );
  });

  it("shows a name that equals the password", () => {
    const redact = createRedactor(["postgres://postgres:postgres@localhost/agents"]);
    expect(redact('password authentication failed for user "postgres"')).toContain('"postgres"');
  });

  it("leaves text without a password unchanged", () => {
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
