import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type BenchServer, connectBenchServer } from "../../bench/bench-server.js";
import { runPgbench } from "../../bench/floor/pgbench.js";
import { recordCase } from "../../bench/floor/record-case.js";
import { replay } from "../../bench/floor/recorded-query.js";
import { DIRECT } from "../../bench/measure/route.js";
import { openPool } from "../../bench/open-pool.js";
import { plainGetTuple } from "../../bench/scenarios/get-tuple.js";
import { put } from "../../bench/scenarios/put.js";
import { OURS } from "../../bench/subjects.js";
import { collect } from "../../test-support/checkpoints.js";

describe("the floor", () => {
  let server: BenchServer;

  beforeAll(async () => {
    server = await connectBenchServer(process.env.CHECKPOINT_TEST_SERVER ?? "", "tests");
  });

  afterAll(() => server.stop());

  it("writes what our saver wrote, by pg alone, where nothing but the preparation was before", async () => {
    const timed = firstOf(put.cases({ quick: true }));
    const { runs, database } = await recordCase(timed, server, 3);
    const pool = openPool(database.source);
    try {
      expect(await collect(OURS.open(pool).list({}))).toHaveLength(1);
      for (const run of runs) await replay(pool, run);
      const tuples = await collect(OURS.open(pool).list({}));
      expect(tuples).toHaveLength(4);
      const [first, ...others] = tuples.map(({ checkpoint }) => checkpoint.channel_values);
      expect(first).toHaveProperty("channel_0.text");
      expect(others).toEqual([first, first, first]);
    } finally {
      await pool.end();
      await database.giveBack();
    }
  });

  it("is sent by pgbench too, where that is installed", async () => {
    const installed = await promisify(execFile)("pgbench", ["--version"]).then(
      () => true,
      () => false,
    );
    const timed = firstOf(plainGetTuple.cases({ quick: true }));
    const [result, ...others] = await runPgbench(timed, server, [DIRECT], 5);
    expect(others).toEqual([]);
    expect(result).toMatchObject({ name: timed.name, latencyMs: 0 });
    if (installed) expect(result?.medianMs).toBeGreaterThan(0);
    else expect(result?.medianMs).toBeUndefined();
  });
});

function firstOf<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error("none");
  return first;
}
