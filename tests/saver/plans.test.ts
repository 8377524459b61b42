import { expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../support/checkpoints.js";
import { describeServer } from "../support/targets.js";

/** Postgres plans the first five runs of a prepared statement each for its parameters, whatever comes of it. */
const ALWAYS_PLANNED = 5;
const READS = 20;

describeServer("the plan of a read", (target) => {
  it("is made once per connection, even in a database where a checkpoint has thousands of writes", async () => {
    const { source } = await target.createDatabase();
    const pool = new pg.Pool({ connectionString: source, max: 1 });
    const saver = new PostgresSaver(pool);
    await saver.setup();
    const [busy, calm] = [threadConfig(newThread()), threadConfig(newThread())];
    const written = await putValues(saver, busy, { log: ["a"] });
    await saver.putWrites(written.config, [["log", 1]], "0");
    await pool.query(
      `insert into checkpoint_writes
           (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
         select thread_id, checkpoint_ns, checkpoint_id, n::text, idx, channel, type, blob
         from checkpoint_writes, generate_series(1, 5000) as n`,
    );
    const { config } = await putValues(saver, calm, { log: ["b"], title: "c" });
    await pool.query("analyze");
    await pool.query("deallocate all");
    const reading = new PostgresSaver(pool);
    for (let n = 0; n < READS; n++) {
      await reading.getTuple(calm);
      await reading.getTuple(config);
    }
    const { rows } = await pool.query<{ custom: number; generic: number }>(
      "select custom_plans::integer as custom, generic_plans::integer as generic from pg_prepared_statements",
    );
    const once = { custom: ALWAYS_PLANNED, generic: READS - ALWAYS_PLANNED };
    expect(rows).toEqual([once, once]);
    await pool.end();
  });
});
