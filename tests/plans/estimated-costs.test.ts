import { afterAll, beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { z } from "zod";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { costOf, estimateEach, isPlanned } from "./estimated-cost.js";
import { analyzeAsMillion, analyzeTables, emptyTables, enlargeTables, fillTables } from "./filled-tables.js";
import { recordEachCall, type RecordedStatement } from "./recorded-calls.js";

/** The default of `jit_above_cost`: a server with JIT compiles a statement that is more expensive. */
const COMPILED_ABOVE = 100_000;

interface Exception {
  /** Matches the names of all calls that send the statement. */
  readonly calls: RegExp;
  /** Matches the states of the tables. Default: all. */
  readonly states?: RegExp;
}

/** What may be compiled, see docs/internals/statements.md. */
const EXCEPTIONS: readonly Exception[] = [
  // They read a whole table, since no index has what they ask for, at least none that is built by default.
  {
    calls: /: search of \[\] .*"query".*$/,
    states: /^1,000,000 rows/,
  },
];

const describePlans = onOneServer("the nodes plan the statements about their threads", describeServer);

describePlans("each statement of every call", (target) => {
  let database: TestDatabase<string>;
  let client: pg.Client;
  let statements: readonly RecordedStatement[];

  beforeAll(async () => {
    database = await target.migratedDatabase();
    statements = (await recordEachCall(database)).filter(isPlanned);
    expect(statements.length).toBeGreaterThan(150);
    client = new pg.Client(database.source);
    await client.connect();
  });
  afterAll(() => client.end());

  it("returns only types that no parser of the application changes", async () => {
    const other: Record<string, readonly string[]> = {};
    for (const statement of statements) {
      const types = (await resultTypesOf(client, statement)).filter((type) => !READ_TYPES.includes(type));
      if (types.length > 0) other[statement.text] = types;
    }
    expect(other).toEqual({});
  });

  // Each state is made from the one before.
  it.each([
    ["0 rows without statistics", () => emptyTables(database)],
    ["0 rows with statistics", () => analyzeTables(database)],
    ["1,000 rows without statistics", () => fillTables(database, 1_000)],
    ["1,000 rows with statistics", () => analyzeTables(database)],
    ["1,000,000 rows without statistics", () => enlargeTables(database)],
    ["1,000,000 rows with statistics", () => analyzeAsMillion(database)],
  ])("costs too little to be compiled, in tables of %s", async (state, makeState) => {
    await makeState();
    const costs = await estimateEach(client, statements);
    const compiled = statements.flatMap(({ text, calls, isUncompiled }, index) => {
      const cost = costs[index];
      if (isUncompiled || cost === undefined || costOf(cost) < COMPILED_ABOVE) return [];
      if (isException(calls, state)) return [];
      return [{ ...cost, calls: [...calls], text }];
    });
    expect(compiled).toEqual([]);
  });
});

/** The types that the library reads by parsers of its own; see result-types.ts. */
const READ_TYPES = [
  ...["boolean", '"char"', "name", "text", "character varying", "smallint", "integer", "oid", "real"],
  ...["double precision", "void"],
];

/** The types of the columns that a statement returns. PostgreSQL tells them from 16 on. */
async function resultTypesOf(client: pg.Client, { text }: RecordedStatement): Promise<readonly string[]> {
  await client.query(`prepare described as ${text}`);
  const { rows } = await client.query<{ types: string | null }>(
    "select array_to_json(result_types::text[])::text as types from pg_prepared_statements where name = 'described'",
  );
  await client.query("deallocate described");
  return (
    z
      .array(z.string())
      .nullable()
      .parse(JSON.parse(rows[0]?.types ?? "null")) ?? []
  );
}

function isException(calls: ReadonlySet<string>, state: string): boolean {
  return EXCEPTIONS.some(
    (exception) =>
      (exception.states ?? /^/).test(state) && [...calls].every((name) => exception.calls.test(name)),
  );
}
