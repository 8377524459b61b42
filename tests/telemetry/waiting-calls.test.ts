import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type pg from "pg";
import { type Health, PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { countWaiting } from "../../test-support/held-locks.js";
import { ManualTime } from "../../test-support/manual-time.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { withClient } from "../../test-support/with-client.js";
import { Opened } from "../saver/opened.js";
import { InMemorySdk } from "./in-memory-sdk.js";
import { RecordingLogger } from "./recording-logger.js";

/** After this time a call waits too long, in milliseconds. */
const LIMIT_MS = 20_000;
const METRIC = "langgraph.checkpoint.waiting";

const describeWaits = onOneServer("a call waits on one of several nodes there", describeServer);

describeWaits("a call that waits too long", (target) => {
  const opened = new Opened();
  const time = new ManualTime();
  let database: TestDatabase<string>;
  let logger: RecordingLogger;
  let pool: pg.Pool;
  let thread: string;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    logger = new RecordingLogger();
    thread = newThread();
    // Three connections let two calls wait for a lock, and one read alone. The first calls open one, and load what later ones need.
    pool = opened.pool({ connectionString: database.source, max: 3 });
    const first = new PostgresSaver(pool);
    await first.getTuple(threadConfig(thread));
    await first.listThreads();
  });
  afterEach(async () => {
    time.stop();
    await opened.end();
  });

  /** A saver whose calls begin when the time stands still. */
  function openSaver(options: PostgresSaverOptions = {}): PostgresSaver {
    time.start();
    return opened.saver(pool, { logger, ...options });
  }

  /** Locks all checkpoints until `during` has ended. */
  function whileLocked(during: () => Promise<void>): Promise<void> {
    return withClient(database.source, async (client) => {
      await client.query("begin; lock table checkpoints in access exclusive mode");
      await during();
      await client.query("rollback");
    });
  }

  /** Waits until so many statements wait for a lock. Calls are sent to share a statement, and connections opened, after milliseconds. */
  const untilWaiting = (count: number) =>
    until(async () => {
      time.pass(1);
      return (await countWaiting(database)) === count;
    });

  /** The exporter of the SDK answers by a timer. */
  async function measuredBy(sdk: InMemorySdk) {
    const answered: Awaited<ReturnType<InMemorySdk["measured"]>>[] = [];
    void sdk.measured().then((metrics) => answered.push(metrics));
    await until(() => {
      time.pass(0);
      return answered.length > 0;
    });
    return answered[0]?.get(METRIC)?.dataPoints ?? [];
  }

  async function waitingOf(saver: PostgresSaver): Promise<Health["waiting"]> {
    return (await saver.health({ signal: AbortSignal.abort() })).waiting;
  }

  it("is named once by the log, and by metrics and health until the database answers", async () => {
    const sdk = new InMemorySdk().start();
    const measured = () => measuredBy(sdk);
    const saver = openSaver();
    let stored: Promise<unknown> | undefined;
    await whileLocked(async () => {
      stored = putValues(saver, threadConfig(thread), { a: 1 });
      await untilWaiting(1);
      time.pass(LIMIT_MS - 1 - time.now);
      expect([logger.lines, await waitingOf(saver), await measured()]).toEqual([[], [], []]);
      time.pass(2 * LIMIT_MS);
      const waitedMs = 3 * LIMIT_MS - 1;
      const wait = { operation: "put", threadId: thread, waitsFor: "database" };
      expect(await waitingOf(saver)).toEqual([{ ...wait, waitedMs }]);
      expect(logger.lines).toMatchObject([
        { level: "warn", message: "put waits too long", fields: { ...wait, waitedMs: LIMIT_MS } },
      ]);
      expect(await measured()).toMatchObject([
        {
          value: 1,
          attributes: { "db.operation.name": "put", "langgraph.checkpoint.waits_for": "database" },
        },
      ]);
    });
    await stored;
    expect(await waitingOf(saver)).toEqual([]);
    expect(await measured()).toMatchObject([{ value: 0 }]);
    expect(logger.lines.slice(1)).toMatchObject([
      { level: "info", message: "put goes on", fields: { threadId: thread, waitedMs: 3 * LIMIT_MS - 1 } },
    ]);
    time.stop();
    await sdk.stop();
  });

  it("is named by what it waits for: its turn, the statement of several calls, or a connection", async () => {
    const saver = openSaver();
    const calls: Promise<unknown>[] = [];
    await whileLocked(async () => {
      calls.push(...[1, 2].map((a) => putValues(saver, threadConfig(thread), { a })));
      await untilWaiting(1);
      calls.push(...["a", "b", "c"].map((name) => saver.getTuple(threadConfig(name))));
      await untilWaiting(3);
      calls.push(saver.listThreads());
      time.pass(LIMIT_MS);
      const waiting = (await waitingOf(saver)).map(({ operation, waitsFor }) => `${operation}: ${waitsFor}`);
      expect(waiting).toEqual([
        ...["put: database", "put: turn", "getTuple: database", "getTuple: database", "getTuple: database"],
        "listThreads: connection",
      ]);
    });
    await Promise.all(calls);
  });

  it("is no longer counted when its signal ends it, and shows no thread id where none is reported", async () => {
    const sdk = new InMemorySdk().start();
    const saver = openSaver({ telemetry: { threadIds: false } });
    const ending = new AbortController();
    await whileLocked(async () => {
      const read = saver.getTuple(threadConfig(thread), { signal: ending.signal });
      await untilWaiting(1);
      time.pass(LIMIT_MS);
      expect(await waitingOf(saver)).toMatchObject([{ operation: "getTuple" }]);
      ending.abort();
      await expect(read).rejects.toMatchObject({ code: "ABORTED" });
    });
    expect(await waitingOf(saver)).toEqual([]);
    expect(await measuredBy(sdk)).toMatchObject([{ value: 0 }]);
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "getTuple waits too long"],
      ["debug", "getTuple failed"],
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain(thread);
    time.stop();
    await sdk.stop();
  });
});
