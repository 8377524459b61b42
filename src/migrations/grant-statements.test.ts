import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { grantStatements } from "./grant-statements.js";

const IDENTIFIER = /"((?:[^"]|"")*)"/g;
const name = fc.string({ minLength: 1, maxLength: 20 });

describe("grantStatements", () => {
  it("grants one role to read and write rows, the other to read them, and both to read the migrations", () => {
    expect(grantStatements("agents", { readWrite: "app", readOnly: "support" })).toEqual({
      readWrite: [
        'grant usage on schema "agents" to "app"',
        'grant select, insert, update, delete on "agents"."checkpoints", "agents"."checkpoint_blobs", "agents"."checkpoint_writes", "agents"."checkpoint_tombstones" to "app"',
        'grant select on "agents"."checkpoint_migrations", "agents"."checkpoint_kysely_migration" to "app"',
      ],
      readOnly: [
        'grant usage on schema "agents" to "support"',
        'grant select on "agents"."checkpoints", "agents"."checkpoint_blobs", "agents"."checkpoint_writes", "agents"."checkpoint_tombstones", "agents"."checkpoint_migrations", "agents"."checkpoint_kysely_migration" to "support"',
      ],
    });
  });

  it("grants also the rows and the record of a checkpoint store, whatever its table is called", () => {
    const grants = (optional: readonly "checkpoint-store"[], table?: string) =>
      grantStatements("s", { readWrite: "w", readOnly: "r" }, optional, table).readWrite.flatMap(namesIn);
    const savers = grants([]);
    const added = (table?: string) =>
      grants(["checkpoint-store"], table).filter((name) => !savers.includes(name));
    expect(added()).toEqual(["checkpoint_store", "checkpoint_store_kysely_migration"]);
    expect(added('go"runs')).toEqual(['go"runs', 'go"runs_kysely_migration']);
  });

  it("grants nothing on the tables of savers where a checkpoint store has the name of one", () => {
    const roles = { readWrite: "w", readOnly: "r" };
    const { readOnly } = grantStatements("s", roles, ["checkpoint-store"], "checkpoints");
    expect(readOnly.at(-1)).toBe(
      'grant select on "s"."checkpoints", "s"."checkpoints_kysely_migration" to "r"',
    );
  });

  it("quotes every name as one identifier", () => {
    const plain = grantStatements("s", { readWrite: "w", readOnly: "r" }, ["checkpoint-store"]);
    fc.assert(
      fc.property(name, name, name, name, (schema, readWrite, readOnly, table) => {
        const grants = grantStatements(schema, { readWrite, readOnly }, ["checkpoint-store"], table);
        expect(shapesOf(grants.readWrite)).toEqual(shapesOf(plain.readWrite));
        expect(shapesOf(grants.readOnly)).toEqual(shapesOf(plain.readOnly));
        for (const statement of grants.readWrite) expect(namesIn(statement)).toContain(readWrite);
        for (const statement of grants.readOnly) expect(namesIn(statement)).toContain(readOnly);
        for (const statement of [...grants.readWrite, ...grants.readOnly])
          expect(namesIn(statement)[0]).toBe(schema);
      }),
      runs(100),
    );
  });
});

/** Statements with the content of their identifiers removed. */
function shapesOf(statements: readonly string[]): string[] {
  return statements.map((statement) => statement.replaceAll(IDENTIFIER, '""'));
}

function namesIn(statement: string): string[] {
  return [...statement.matchAll(IDENTIFIER)].map(([, quoted = ""]) => quoted.replaceAll('""', '"'));
}
