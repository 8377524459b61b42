import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { AbortError, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type StoppedClock, stopClock } from "../../test-support/shifted-clock.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

describeServer("a read that waits for the clock (C17)", (target) => {
  let database: TestDatabase<string>;
  let config: RunnableConfig;
  let clock: StoppedClock;
  let pool: pg.Pool;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    config = threadConfig(newThread());
    pool = new pg.Pool({ connectionString: database.source, max: 1 });
    const saver = new PostgresSaver(pool);
    const { checkpoint } = await putValues(saver, config, { n: ["stored"] });
    clock = stopClock(Date.parse(checkpoint.ts) - 50);
  });
  afterEach(async () => {
    clock.release();
    await pool.end();
  });

  /** Begins a read, and resolves when its connection is free again, so that it waits for the clock alone. */
  async function beginWaiting(
    saver: PostgresSaver,
    signals: { config?: AbortSignal; call?: AbortSignal } = {},
  ) {
    const released = once(pool, "release");
    const read = saver.getTuple(
      { ...config, ...(signals.config && { signal: signals.config }) },
      signals.call && { signal: signals.call },
    );
    const settled = Promise.allSettled([read]);
    await released;
    // The rows are decoded without a pause.
    await setImmediate();
    return { read, settled };
  }

  it("holds neither a connection nor the queue of its thread: other calls go on", async () => {
    const saver = new PostgresSaver(pool);
    const { settled } = await beginWaiting(saver);
    await saver.putWrites(
      threadConfig(String(config.configurable?.thread_id), { checkpoint_id: "1" }),
      [],
      "t",
    );
    await putValues(saver, config, { n: ["other"] });
    await putValues(saver, threadConfig(newThread()), { n: ["other thread"] });
    expect(await Promise.race([settled, Promise.resolve("waiting")])).toBe("waiting");
    clock.release();
    expect(await settled).toMatchObject([{ status: "fulfilled" }]);
  });

  it.each(["config", "call"] as const)("ends with the signal of its %s", async (place) => {
    const run = new AbortController();
    const { settled } = await beginWaiting(new PostgresSaver(pool), { [place]: run.signal });
    run.abort();
    expect(await settled).toMatchObject([{ status: "rejected", reason: { code: "ABORTED" } }]);
  });

  it("ends with its saver", async () => {
    const saver = new PostgresSaver(pool);
    const { settled } = await beginWaiting(saver);
    await saver.end();
    expect(await settled).toEqual([{ status: "rejected", reason: expect.any(AbortError) }]);
  });

  it("waits also on a saver that was closed, on a pool of the caller's", async () => {
    const saver = new PostgresSaver(pool);
    await saver.end();
    const { read } = await beginWaiting(saver);
    clock.release();
    expect((await read)?.checkpoint.channel_values.n).toEqual(["stored"]);
  });
});
