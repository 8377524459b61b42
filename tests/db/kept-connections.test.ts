import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { AbortError, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { ManualTime } from "../../test-support/manual-time.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

describeServer("the connections of a pool", (target) => {
  let database: TestDatabase<string>;
  let pool: pg.Pool;
  let saver: PostgresSaver;
  let taken: number;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    pool = new pg.Pool({ connectionString: database.source });
    saver = new PostgresSaver(pool);
    await saver.getTuple(threadConfig(newThread()));
    taken = 0;
    pool.on("acquire", () => taken++);
  });
  afterEach(() => pool.end());

  /** Begins the deletion of a thread, which waits for the transaction of another connection. */
  async function lockedDeletion() {
    const thread = newThread();
    const { config } = await putValues(saver, threadConfig(thread), { a: 1 });
    const locker = new pg.Client({ connectionString: database.source });
    await locker.connect();
    await locker.query("begin");
    await locker.query("select from checkpoints where thread_id = $1 for update", [thread]);
    const locked = saver.deleteThread(thread);
    await untilOneWaits(database);
    return { config, locker, locked };
  }

  it("go from call to call where one follows at once, and then back to the pool", async () => {
    let { config, checkpoint } = await putValues(saver, threadConfig(newThread()), { a: 0 });
    for (let step = 1; step < 5; step++)
      ({ config, checkpoint } = await putValues(saver, config, { a: step }, checkpoint));
    expect(taken).toBeLessThanOrEqual(1);
    await setImmediate();
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
  });

  it("are opened where those in use stay busy, so that no call waits for another", async () => {
    const { config, locker, locked } = await lockedDeletion();
    const stopping = new AbortController();
    const stopped = saver.getTuple(config, { signal: stopping.signal });
    stopping.abort();
    await expect(stopped).rejects.toBeInstanceOf(AbortError);
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: 1 });
    await locker.end();
    await locked;
    expect(await saver.getTuple(config)).toBeUndefined();
  });

  it("are taken for no call that got another one meanwhile", async () => {
    const { config, locker, locked } = await lockedDeletion();
    const time = new ManualTime();
    time.start();
    const read = saver.getTuple(config);
    await locker.end();
    await Promise.all([locked, read]);
    await setImmediate();
    const before = taken;
    time.pass(60);
    time.stop();
    await setImmediate();
    await setImmediate();
    expect([taken, pool.totalCount]).toEqual([before, 1]);
  });

  it("are left by statements without a timer of theirs", async () => {
    const bounded = new PostgresSaver(pool, undefined, { statementTimeoutMs: 8_000_000, grouping: false });
    const time = new ManualTime();
    time.start();
    const { config } = await putValues(bounded, threadConfig(newThread()), { a: 1 });
    await bounded.getTuple(config);
    await bounded.deleteThread("other");
    // Those of the pool are shorter, and savers of earlier test files have no such limit.
    const left = time.timers.filter((due) => due - time.now >= 400_000 && due - time.now <= 1_000_000);
    time.stop();
    expect(left).toEqual([]);
  });
});
