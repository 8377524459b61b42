import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type BenchServer, connectBenchServer } from "../../bench/bench-server.js";
import { recordCase } from "../../bench/floor/record-case.js";
import { replay } from "../../bench/floor/recorded-query.js";
import { openPool } from "../../bench/open-pool.js";
import { put } from "../../bench/scenarios/put.js";
import { OURS } from "../../bench/subjects.js";
import { collect } from "../support/checkpoints.js";

describe("the floor", () => {
  let server: BenchServer;

  beforeAll(async () => {
    server = await connectBenchServer(process.env.CHECKPOINT_TEST_SERVER ?? "", "tests");
  });

  afterAll(() => server.stop());

  it("writes what our saver wrote, by pg alone, where nothing but the preparation was before", async () => {
    const [timed] = put.cases({ quick: true });
    if (timed === undefined) throw new Error("no case");
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
});
