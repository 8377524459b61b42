import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import {
  ClockBehindError,
  PostgresSaver,
  type PostgresSaverOptions,
  ShallowPostgresSaver,
} from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  listIds,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { onShiftedClock, stopClock } from "../../test-support/shifted-clock.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

const A_MINUTE_MS = 60_000;
const SKEW_MS = 60;

describeAnyTarget("a saver on a machine whose clock is behind (C17)", (target) => {
  let database: TestDatabase;
  let config: RunnableConfig;
  const opened: PostgresSaver[] = [];

  beforeEach(async () => {
    database = await target.sharedDatabase();
    config = threadConfig(newThread());
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((saver) => saver.end()));
  });

  function open(options: PostgresSaverOptions = {}): PostgresSaver {
    const saver = new PostgresSaver(database.source, undefined, options);
    opened.push(saver);
    return saver;
  }

  /** Stores a checkpoint as a machine does whose clock is ahead of this one's. */
  function putAhead(ms: number, parent = config, saver = open()) {
    return onShiftedClock(ms, () => putValues(saver, parent, { n: ["ahead"] }));
  }

  /** The state of a thread as another run would find it. */
  async function newestValue(): Promise<unknown> {
    return (await open().getTuple(config))?.checkpoint.channel_values.n;
  }

  it("waits before it returns the newest checkpoint, so that the ids that are made next are greater", async () => {
    const { checkpoint } = await putAhead(SKEW_MS);
    const saver = open();
    const newest = await saver.getTuple(config);
    expect(newest?.checkpoint.id).toBe(checkpoint.id);
    const next = await putValues(saver, newest?.config ?? {}, { n: ["next"] });
    expect(next.checkpoint.id > checkpoint.id).toBe(true);
    expect(await newestValue()).toEqual(["next"]);
  });

  it("waits before it returns a checkpoint that is named, since a run may continue from it", async () => {
    const { config: named } = await putAhead(SKEW_MS);
    const saver = open();
    const tuple = await saver.getTuple(named);
    await putValues(saver, tuple?.config ?? {}, { n: ["next"] });
    expect(await newestValue()).toEqual(["next"]);
  });

  it("waits for a checkpoint of the same millisecond, unless its own process has counted the ids of it", async () => {
    const saver = open();
    const now = Date.now();
    const clock = stopClock(now);
    const own = await putValues(saver, config, { n: ["own"] });
    expect((await saver.getTuple(config))?.checkpoint.id).toBe(own.checkpoint.id);
    expect((await open().getTuple(config))?.checkpoint.id).toBe(own.checkpoint.id);
    // Another process has made a greater id of the same millisecond.
    await database.query(
      `update checkpoints set checkpoint_id = greater, checkpoint = jsonb_set(checkpoint, '{id}', to_jsonb(greater))
       from overlay($1 placing 'ff' from 22) as greater where checkpoint_id = $1`,
      [own.checkpoint.id],
    );
    let isRead = false;
    const read = saver.getTuple(config).then(() => {
      isRead = true;
    });
    for (let i = 0; i < 10; i++) await open().getTuple(threadConfig("another"));
    expect(isRead).toBe(false);
    clock.release();
    await read;
  });

  describe("by more than it waits for", () => {
    const bounds = { maxClockWaitMs: 10 } as const;

    it("refuses to read the newest checkpoint, and names the clock", async () => {
      const { checkpoint } = await putAhead(A_MINUTE_MS);
      const error: unknown = await open(bounds)
        .getTuple(config)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ClockBehindError);
      expect(error).toMatchObject({
        code: "CLOCK_BEHIND",
        threadId: String(config.configurable?.thread_id),
        checkpointNs: "",
        checkpointId: checkpoint.id,
        message: expect.stringMatching(/is (59\.\d{3}|60\.000) s ahead of this machine's clock.* NTP$/),
      });
      expect(error).toHaveProperty("behindMs", expect.any(Number));
    });

    it("reads everything else: parts, named checkpoints, lists, histories, and what may be stale", async () => {
      const saver = open(bounds);
      const { config: named, checkpoint } = await putAhead(A_MINUTE_MS);
      const thread = String(config.configurable?.thread_id);
      const tuples = [
        await saver.getTuple(named),
        await saver.getTuple(config, { values: false, writes: true }),
        await saver.getTuple(config, { channels: ["n"] }),
        await saver.getTuple(config, { writes: false }),
        await saver.getTuple(config, { staleReads: true }),
      ];
      expect(tuples.map((tuple) => tuple?.checkpoint.id)).toEqual(tuples.map(() => checkpoint.id));
      expect(await listIds(saver.list(config, { limit: 1 }))).toEqual([checkpoint.id]);
      expect((await saver.history(thread)).head).toBe(checkpoint.id);
      expect((await saver.getChannelValues({ threadIds: [thread], channel: "n" })).size).toBe(1);
      expect(await saver.verify(thread)).toMatchObject({ problems: [] });
      expect(await collect(saver.exportThreads({ threads: [thread] }))).not.toEqual([]);
      const copy = newThread();
      await saver.copyThread(thread, copy);
      expect(await listIds(saver.list(threadConfig(copy)))).toEqual([checkpoint.id]);
    });

    it("can bring the thread back by a rollback, which makes an id after the newest one", async () => {
      const first = await putValues(open(), config, { n: ["first"] });
      await putAhead(A_MINUTE_MS, first.config);
      const back = await open(bounds).rollback(String(config.configurable?.thread_id), first.checkpoint.id);
      expect((await open(bounds).getTuple(config, { values: false }))?.config).toEqual(back);
    });

    it("only warns where an option says so, once a day for each namespace", async () => {
      const warnings = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
      const saver = open({ ...bounds, clockBehind: "warn" });
      const { checkpoint } = await putAhead(A_MINUTE_MS);
      expect((await saver.getTuple(config))?.checkpoint.id).toBe(checkpoint.id);
      expect((await saver.getTuple(config))?.checkpoint.id).toBe(checkpoint.id);
      const shown = warnings.mock.calls;
      warnings.mockRestore();
      expect(shown).toEqual([
        [
          expect.stringContaining("the clock is behind"),
          { type: "ClockBehindWarning", code: "CLOCK_BEHIND" },
        ],
      ]);
    });
  });

  describe("refuses a checkpoint that is older than its parent", () => {
    const put = (saver: PostgresSaver, parent: RunnableConfig, checkpoint: Checkpoint) =>
      saver.put(parent, checkpoint, metadataOf(), allVersions(checkpoint));

    it("by put, and stores nothing", async () => {
      const { config: parent, checkpoint: ahead } = await putAhead(A_MINUTE_MS);
      const saver = open();
      const older = checkpointOf(saver, { n: ["older"] });
      await expect(put(saver, parent, older)).rejects.toMatchObject({
        code: "CLOCK_BEHIND",
        checkpointId: older.id,
        message: expect.stringContaining(`older than its parent "${ahead.id}"`),
      });
      expect(await listIds(saver.list(config))).toEqual([ahead.id]);
    });

    it("in a batch, and stores nothing of it", async () => {
      const { config: parent, checkpoint: ahead } = await putAhead(A_MINUTE_MS);
      const saver = open();
      const older = checkpointOf(saver, { n: ["older"] });
      const batch = saver.batch(async (calls) => {
        await calls.putWrites(parent, [["n", "written"]], "task");
        await calls.put(parent, older, metadataOf(), allVersions(older));
      });
      await expect(batch).rejects.toBeInstanceOf(ClockBehindError);
      expect((await saver.getTuple(parent))?.pendingWrites).toEqual([]);
      expect(await listIds(saver.list(config))).toEqual([ahead.id]);
    });

    it("unless it only warns", async () => {
      const warnings = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
      const { config: parent } = await putAhead(A_MINUTE_MS);
      const saver = open({ clockBehind: "warn" });
      const stored = await put(saver, parent, checkpointOf(saver, { n: ["older"] }));
      expect(warnings).toHaveBeenCalledTimes(1);
      warnings.mockRestore();
      expect(await saver.getTuple(stored)).toBeDefined();
    });

    it("but not one that is stored again, forks an older one, or has an id without a time", async () => {
      const saver = open();
      const { config: first, checkpoint } = await putValues(saver, config, { n: ["first"] });
      await putValues(saver, first, { n: ["second"] });
      await put(saver, first, checkpoint);
      await putValues(saver, first, { n: ["fork"] });
      await put(saver, first, { ...checkpointOf(saver, { n: ["named"] }), id: "1" });
      await put(saver, threadConfig("named", { checkpoint_id: "2" }), { ...checkpoint, id: "1" });
      expect(await listIds(saver.list(config))).toHaveLength(4);
    });
  });

  describe("where the saver keeps the newest checkpoints", () => {
    const KEEPING = [
      ["ShallowPostgresSaver", () => new ShallowPostgresSaver(database.source)],
      ["keepLast: 1", () => new PostgresSaver(database.source, undefined, { keepLast: 1 })],
    ] as const;

    it.each(KEEPING)("refuses a checkpoint that it would delete at once: %s", async (_name, openKeeping) => {
      const saver = openKeeping();
      opened.push(saver);
      const { config: older } = await putValues(saver, config, { n: ["older"] });
      const { checkpoint: ahead } = await putAhead(A_MINUTE_MS);
      await expect(putValues(saver, older, { n: ["fork"] })).rejects.toMatchObject({
        code: "CLOCK_BEHIND",
        message: expect.stringContaining(`would be deleted at once, since "${ahead.id}" is`),
      });
      expect(await listIds(saver.list(config, { limit: 1 }))).toEqual([ahead.id]);
    });

    it("stores an older checkpoint that is moved, and deletes it, since no clock is behind", async () => {
      const saver = open({ keepLast: 1 });
      const older = checkpointOf(saver, { n: ["older"] });
      const { checkpoint } = await putValues(saver, config, { n: ["newer"] });
      await until(() => Date.now() > Date.parse(checkpoint.ts) + 1);
      await saver.put(config, older, metadataOf(), allVersions(older));
      expect(await listIds(open().list(config))).toEqual([checkpoint.id]);
    });
  });
});
