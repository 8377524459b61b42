import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type BenchDatabase, type BenchServer, connectBenchServer } from "../../bench/bench-server.js";
import { coldCases } from "../../bench/cold/cold-cases.js";
import { COLD_WORKS, type ColdWork, WORKS } from "../../bench/cold/cold-works.js";
import { measureCold } from "../../bench/cold/measure-cold.js";

const SIDES = ["ours", "official"] as const;
const CALLS = 3;

/** What the calls of one process leave in the tables, whatever else is there. */
const LEFT: Readonly<Record<ColdWork, { readonly table: string; readonly rows: number }>> = {
  put: { table: "checkpoints", rows: CALLS },
  getTuple: { table: "checkpoints", rows: 1 },
  // The input, the nodes and the end of each run.
  "flat graph": { table: "checkpoints", rows: 4 * CALLS },
  "store put": { table: "store", rows: CALLS },
  "store delete": { table: "store", rows: 0 },
};

let server: BenchServer;

beforeAll(async () => {
  server = await connectBenchServer(process.env.CHECKPOINT_TEST_SERVER ?? "", "tests");
});

afterAll(() => server.stop());

async function countRows(database: BenchDatabase, table: string): Promise<unknown> {
  const [row] = await database.query(`select count(*)::int as rows from ${table}`);
  return row?.rows;
}

describe.each(SIDES)("the calls of a new process, by %s", (id) => {
  it.each(COLD_WORKS)("do what they are named after: %s", async (name) => {
    const work = WORKS[name];
    const database = await server.emptyDatabase();
    await work.setUp(id, database.source);
    await work.provide?.(id, database, 7, CALLS);
    const { next, end } = work.begin(id, database.source, 7);
    for (let call = 0; call < CALLS; call++) await next()();
    await end();
    const { table, rows } = LEFT[name];
    expect(await countRows(database, table)).toBe(rows);
    await database.giveBack();
  });
});

it("leaves the first calls of each process out", async () => {
  const [burst] = coldCases({ quick: true, brief: false });
  if (burst === undefined) throw new Error("there is no case");
  const [result] = await measureCold({ ...burst, work: "getTuple", calls: 5, skipped: 2 }, server);
  expect(result?.figures).toMatchObject({ ours: { rounds: 3 }, official: { rounds: 3 } });
});
