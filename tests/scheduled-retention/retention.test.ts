import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { type ArchiveTarget, type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { listIds, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { untilLocks, untilOneWaits } from "../../test-support/held-locks.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { HOUR, hoursAgo, putLine } from "../retention/put-line.js";
import { rowsOf } from "../retention/stored-rows.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { EVERY, startClocked } from "./clocked-retention.js";

describeEachTarget("a retention that runs by itself", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let logger: RecordingLogger;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    logger = new RecordingLogger();
    saver = new PostgresSaver(database.source, undefined, { logger });
  });
  afterEach(() => saver.end());

  const idsOf = (thread: string) => listIds(saver.list(threadConfig(thread)));

  it("deletes old checkpoints and idle threads in each round, by the rules of prune", async () => {
    const [kept, idle, later] = [newThread(), newThread(), newThread()];
    const ids = hoursAgo(40, 30, 20, 10, 1);
    await putLine(saver, kept, ids);
    await putLine(saver, idle, hoursAgo(60, 50));
    const { retention, round } = startClocked(saver, {
      olderThanMs: 15 * HOUR,
      keepLast: 1,
      idleForMs: 45 * HOUR,
    });
    await round();
    expect([await idsOf(kept), await idsOf(idle)]).toEqual([ids.slice(3).reverse(), []]);
    await putLine(saver, later, ids);
    await round();
    expect(await idsOf(later)).toEqual(ids.slice(3).reverse());
    await retention.stop();
  });

  it("moves to an archive what it deletes", async () => {
    const [pruned, idle] = [newThread(), newThread()];
    await putLine(saver, pruned, hoursAgo(3, 2, 1));
    await putLine(saver, idle, hoursAgo(60, 50));
    const before = await rowsOf(database);
    const archive = memoryArchive();
    const { retention, round } = startClocked(saver, { keepLast: 1, idleForMs: 45 * HOUR, archive });
    await round();
    await retention.stop();
    expect(await rowsOf(database)).toMatchObject({ checkpoints: 1 });
    await saver.restore({ from: archive, threads: [pruned, idle] });
    expect(await rowsOf(database)).toEqual(before);
  });

  it("survives a round that fails: the failure is logged, and the next round does the work", async () => {
    const thread = newThread();
    await putLine(saver, thread, hoursAgo(3, 2, 1));
    const { retention, round } = startClocked(saver, { keepLast: 1 });
    await database.exec("alter table checkpoints rename to hidden");
    await round();
    await database.exec("alter table hidden rename to checkpoints");
    expect(logger.at("error")).toMatchObject([
      { message: "retention failed", fields: { code: "MIGRATION_REQUIRED" } },
    ]);
    expect(await idsOf(thread)).toHaveLength(3);
    await round();
    expect(await idsOf(thread)).toHaveLength(1);
    expect(logger.at("info")).toMatchObject([
      { message: "retention has deleted rows", fields: { operation: "retention", rows: 6 } },
    ]);
    await retention.stop();
  });

  it("begins its rounds at different times, and the first one soon", async () => {
    const delays: number[] = [];
    for (let n = 0; n < 5; n++) {
      const { retention, clock, round } = startClocked(saver, { keepLast: 1 });
      expect(await clock.untilPaused()).toBeLessThanOrEqual(EVERY * 1.2);
      await round();
      delays.push(await clock.untilPaused());
      await retention.stop();
    }
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(EVERY);
    expect(Math.max(...delays)).toBeLessThanOrEqual(EVERY * 1.2);
    expect(new Set(delays).size).toBe(5);
  });

  it("is stopped by end(), by its signal, and at the end of a block", async () => {
    const controller = new AbortController();
    const start = () => saver.startRetention({ every: EVERY, keepLast: 1, signal: controller.signal });
    start();
    expect(start).toThrow(/already/);
    controller.abort();
    await new Promise(setImmediate);
    {
      await using retention = saver.startRetention({ every: EVERY, keepLast: 1 });
      expect(start).toThrow(/already/);
      void retention;
    }
    const last = saver.startRetention({ every: EVERY, keepLast: 1 });
    await saver.end();
    await last.stop();
  });
});

describeServer("a retention that is stopped", (target) => {
  let database: TestDatabase<string>;
  let saver: PostgresSaver;
  beforeEach(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterEach(() => saver.end());

  const threads = Array.from({ length: 3 }, (_, n) => `thread ${n}`);
  const putAll = async (): Promise<void> => {
    for (const thread of threads) await putLine(saver, thread, hoursAgo(60, 50));
  };

  it("commits the transaction that it is in, begins no other, and releases its lock", async () => {
    await putAll();
    const stops: Promise<void>[] = [];
    const memory = memoryArchive();
    const archive: ArchiveTarget = {
      ...memory,
      write: async (...file) => {
        await memory.write(...file);
        stops.push(retention.stop());
      },
    };
    const { retention, clock } = startClocked(saver, { idleForMs: HOUR, archive });
    await clock.endPause();
    await until(() => stops.length > 0);
    await Promise.all(stops);
    await untilLocks(database, 0);
    const rows = await rowsOf(database);
    expect(stops).toHaveLength(1);
    expect(rows).toMatchObject({ checkpoints: 6 });
  });

  it("ends at once where its signal aborts, even if a statement waits for a lock", async () => {
    await putAll();
    const controller = new AbortController();
    const kysely = database.kysely<CheckpointDatabase>();
    await kysely.transaction().execute(async (transaction) => {
      // Not with FOR UPDATE, which Citus refuses for rows of several nodes.
      await transaction.updateTable("checkpoints").set({ type: null }).execute();
      const { retention, clock } = startClocked(saver, { idleForMs: HOUR, signal: controller.signal });
      await clock.endPause();
      await untilOneWaits(database);
      controller.abort();
      await retention.stop();
    });
    expect(await rowsOf(database)).toMatchObject({ checkpoints: 6 });
    await untilLocks(database, 0);
  });
});
