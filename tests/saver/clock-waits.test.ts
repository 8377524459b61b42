import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { AbortError, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type StoppedClock, stopClock } from "../../test-support/shifted-clock.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { InMemorySdk } from "../telemetry/in-memory-sdk.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";

/** A read looks at the clock again after this time. */
const SHORT_MS = 50;
/** More than NTP leaves, so that it is logged. */
const LOGGED_MS = 120;
/** Less than a read waits for by default. */
const LONG_MS = 4_000;

describeServer("a read that waits for the clock (C17)", (target) => {
  let database: TestDatabase<string>;
  let config: RunnableConfig;
  let storedMs: number;
  let clock: StoppedClock | undefined;
  let pool: pg.Pool;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    config = threadConfig(newThread());
    pool = new pg.Pool({ connectionString: database.source, max: 1 });
    const saver = new PostgresSaver(pool);
    const { checkpoint } = await putValues(saver, config, { n: ["stored"] });
    storedMs = Date.parse(checkpoint.ts);
    // Its connection goes back at the end of the turn.
    await setImmediate();
  });
  afterEach(async () => {
    clock?.release();
    await pool.end();
  });

  /**
   * Stops the clock before the time of the stored checkpoint, begins a read, and resolves when its connection is free again, so that it
   * waits for the clock alone.
   */
  async function beginWaiting(
    saver: PostgresSaver,
    behindMs: number,
    signals: { config?: AbortSignal; call?: AbortSignal } = {},
  ) {
    clock = stopClock(storedMs - behindMs);
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

  /** The outcome of a read if it has one by now, long before its clock has come. */
  function outcomeNow(settled: Promise<unknown>): Promise<unknown> {
    return Promise.race([settled, setImmediate("waiting")]);
  }

  it("holds neither a connection nor the queue of its thread: other calls go on", async () => {
    const saver = new PostgresSaver(pool);
    const { settled } = await beginWaiting(saver, SHORT_MS);
    await saver.putWrites(
      threadConfig(String(config.configurable?.thread_id), { checkpoint_id: "1" }),
      [],
      "t",
    );
    await putValues(saver, config, { n: ["other"] });
    await putValues(saver, threadConfig(newThread()), { n: ["other thread"] });
    expect(await outcomeNow(settled)).toBe("waiting");
    clock?.release();
    expect(await settled).toMatchObject([{ status: "fulfilled" }]);
  });

  it.each(["config", "call"] as const)("ends with the signal of its %s", async (place) => {
    const run = new AbortController();
    const { settled } = await beginWaiting(new PostgresSaver(pool), LONG_MS, { [place]: run.signal });
    run.abort();
    expect(await outcomeNow(settled)).toMatchObject([{ status: "rejected", reason: { code: "ABORTED" } }]);
  });

  it("ends with its saver", async () => {
    const saver = new PostgresSaver(pool);
    const { settled } = await beginWaiting(saver, LONG_MS);
    await saver.end();
    expect(await outcomeNow(settled)).toEqual([{ status: "rejected", reason: expect.any(AbortError) }]);
  });

  it("waits also on a saver that was closed, on a pool of the caller's", async () => {
    const saver = new PostgresSaver(pool);
    await saver.end();
    const { read } = await beginWaiting(saver, SHORT_MS);
    clock?.release();
    expect((await read)?.checkpoint.channel_values.n).toEqual(["stored"]);
  });

  it("counts the time that it has waited, also where the clock is set back meanwhile", async () => {
    const saver = new PostgresSaver(pool, undefined, { maxClockWaitMs: 2 * SHORT_MS });
    // The clock stands still, so that it is as far behind after the first pause. A second one would be too long.
    const { settled } = await beginWaiting(saver, SHORT_MS - 1);
    expect(await settled).toMatchObject([
      { status: "rejected", reason: { code: "CLOCK_BEHIND", behindMs: SHORT_MS } },
    ]);
  }, 10_000);

  it("reports how long: as a metric and an event, and in the log where it is more than NTP leaves", async () => {
    const sdk = new InMemorySdk().start();
    const logger = new RecordingLogger();
    const { read } = await beginWaiting(new PostgresSaver(pool, undefined, { logger }), LOGGED_MS);
    clock?.release();
    const tuple = await read;
    const wait = (await sdk.measured()).get("langgraph.checkpoint.clock_wait");
    const span = sdk.spans.at(-1);
    await sdk.stop();
    expect(logger.at("warn")).toMatchObject([
      {
        message: "the clock of this machine is behind, waited for it",
        fields: { operation: "getTuple", checkpointId: tuple?.checkpoint.id },
      },
    ]);
    // In seconds, as OpenTelemetry has it.
    const inSeconds = expect.closeTo(Number(logger.at("warn")[0]?.fields.waitedMs) / 1_000, 2);
    expect(wait?.dataPoints).toMatchObject([
      { attributes: { "db.operation.name": "getTuple" }, value: { count: 1, sum: inSeconds } },
    ]);
    expect(span?.events).toMatchObject([
      { name: "clock wait", attributes: { "langgraph.checkpoint.delay": inSeconds } },
    ]);
  });
});
