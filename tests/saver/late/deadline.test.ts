import { expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresSaver } from "../../../src/index.js";
import { newThread, putValues, threadConfig } from "../../../test-support/checkpoints.js";
import { describeServer } from "../../../test-support/targets.js";

describeServer("statementTimeoutMs", (target) => {
  it("prepares a write and its deadline check once, and sends both in one transaction", async () => {
    const { source } = await target.migratedDatabase();
    const pool = new pg.Pool({ connectionString: source, max: 1 });
    const saver = new PostgresSaver(pool, undefined, { statementTimeoutMs: 60_000 });
    for (let times = 0; times < 3; times++) await putValues(saver, threadConfig(newThread()), { a: [1] });
    const { rows } = await pool.query<{ runs: string }>(
      `select (generic_plans + custom_plans)::text as runs from pg_prepared_statements
       where statement not like '%pg_dist_partition%'`,
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.map(({ runs }) => runs)).toEqual(rows.map(() => "3"));
    await pool.end();
  });
});
