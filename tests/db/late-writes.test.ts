import { afterEach, beforeEach, expect, it, jest } from "@jest/globals";
import pg from "pg";
import { ConnectionError, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

describeServer("a connection that refused a write as too late", (target) => {
  let database: TestDatabase<string>;
  let pool: pg.Pool;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    pool = new pg.Pool({ connectionString: database.source, idleTimeoutMillis: 0 });
    pool.on("error", () => undefined);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await pool.end();
  });

  it("is not used again, and the write is not stored", async () => {
    const saver = new PostgresSaver(pool, undefined, { retry: false, statementTimeoutMs: 60_000 });
    await putValues(saver, threadConfig(newThread()), { a: 1 });
    // The server's clock as this process knows it is behind by more than the time limit.
    const realNow = performance.now.bind(performance);
    const late = jest.spyOn(performance, "now").mockImplementation(() => realNow() - 120_000);
    const thread = threadConfig(newThread());
    await expect(putValues(saver, thread, { a: 2 })).rejects.toBeInstanceOf(ConnectionError);
    late.mockRestore();
    expect(pool.totalCount).toBe(0);
    expect(await saver.getTuple(thread)).toBeUndefined();
  });
});
