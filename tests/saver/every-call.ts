import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { PostgresSaver } from "../../src/index.js";
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
import { memoryArchive } from "../../test-support/memory-archive.js";

/**
 * A thread with three checkpoints, whose channels `count` and `list` have the values 1, 2 and 3. The last one has a
 * write to `count`.
 */
export interface CountedThread {
  readonly saver: PostgresSaver;
  readonly id: string;
  /** The thread, without a checkpoint. */
  readonly config: RunnableConfig;
  /** The run that stored the last checkpoint. */
  readonly run: string;
  /** The config of each checkpoint, oldest first. */
  readonly steps: readonly [RunnableConfig, RunnableConfig, RunnableConfig];
}

/** The names of the methods of an object. */
export type MethodsOf<Saver> = {
  [Name in keyof Saver]: Saver[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof Saver];

/** Every method, except the inherited ones that refuse serialization. */
type Method = Exclude<MethodsOf<PostgresSaver>, symbol | "toJSON">;

/** A call of each method, on a thread of its own. A method without an entry here does not compile. */
export const CALLS: Record<Method, (thread: CountedThread) => Promise<void>> = {
  setup: async ({ saver }) => {
    await saver.setup();
    expect(await saver.health()).toMatchObject({ schema: { upToDate: true } });
  },
  health: async ({ saver }) => {
    expect(await saver.health()).toMatchObject({ ok: true, isReadOnly: false });
  },
  get: async ({ saver, config }) => {
    expect((await saver.get(config))?.channel_values).toEqual(valuesOf(3));
  },
  getTuple: async ({ saver, config, steps }) => {
    expect(await saver.getTuple(config)).toMatchObject({
      config: steps[2],
      parentConfig: steps[1],
      pendingWrites: [["task", "count", 4]],
    });
  },
  list: async ({ saver, config, steps }) => {
    expect(await listIds(saver.list(config))).toEqual(steps.map(idOf).reverse());
  },
  put: async ({ saver, steps }) => {
    const stored = await putValues(saver, steps[2], {
      at: new Date(7),
      bytes: Buffer.from([0, 255]),
      text: "ü",
    });
    expect((await saver.getTuple(stored.config))?.checkpoint).toEqual(stored.checkpoint);
  },
  putWrites: async ({ saver, config, steps }) => {
    await saver.putWrites(steps[2], [["other", { a: [null] }]], "task 2");
    expect((await saver.getTuple(config))?.pendingWrites).toContainEqual(["task 2", "other", { a: [null] }]);
  },
  deleteThread: async ({ saver, id, config }) => {
    await saver.deleteThread(id);
    expect(await saver.getTuple(config)).toBeUndefined();
  },
  batch: async ({ saver, config, steps }) => {
    const next = checkpointOf(saver, { count: 9 });
    await saver.batch(async (batch) => {
      await batch.put(steps[2], next, metadataOf(3), next.channel_versions);
    });
    expect((await saver.get(config))?.channel_values).toEqual({ count: 9 });
  },
  withThreadLock: async ({ saver, id, config }) => {
    const count = await saver.withThreadLock(id, async () => (await saver.get(config))?.channel_values.count);
    expect(count).toBe(3);
  },
  getDeltaChannelHistory: async ({ saver, steps }) => {
    const history = await saver.getDeltaChannelHistory({ config: steps[2], channels: ["count"] });
    expect(history).toEqual({ count: { writes: [], seed: 2 } });
  },
  getChannelValues: async ({ saver, id }) => {
    expect(await saver.getChannelValues({ threadIds: [id], channel: "count" })).toEqual(new Map([[id, 3]]));
  },
  getNextVersion: ({ saver }) => {
    expect(saver.getNextVersion(saver.getNextVersion(undefined) as string)).toMatch(/^0*2\./);
    return Promise.resolve();
  },
  end: async ({ saver }) => {
    await saver.end();
    await expect(saver.end()).resolves.toBeUndefined();
  },
  copyThread: async ({ saver, id }) => {
    const target = newThread();
    expect(await saver.copyThread(id, target)).toMatchObject({ checkpoints: 3, writes: 1, blobs: 3 });
    expect((await saver.get(threadConfig(target)))?.channel_values).toEqual(valuesOf(3));
  },
  fork: async ({ saver, config, steps }) => {
    await saver.fork(steps[0], { values: valuesOf(10) });
    expect((await saver.get(config))?.channel_values).toEqual(valuesOf(10));
  },
  rollback: async ({ saver, id, config, steps }) => {
    await saver.rollback(id, idOf(steps[0]));
    expect((await saver.get(config))?.channel_values).toEqual(valuesOf(1));
  },
  history: async ({ saver, id, steps }) => {
    expect(await saver.history(id)).toMatchObject({ threadId: id, head: idOf(steps[2]) });
  },
  listThreads: async ({ saver, id, run, steps }) => {
    const threads = await saver.listThreads({ filter: { run_id: run } });
    expect(threads.find(({ threadId }) => threadId === id)).toMatchObject({
      checkpointId: idOf(steps[2]),
      checkpoints: 3,
      updatedAt: expect.any(Date),
    });
  },
  listTombstones: async ({ saver, id }) => {
    await saver.deleteThread(id);
    expect(await saver.listTombstones()).toContainEqual({ threadId: id, deletedAt: expect.any(Date) });
  },
  liftTombstones: async ({ saver, id }) => {
    await saver.deleteThread(id);
    expect(await saver.liftTombstones([id])).toEqual([id]);
  },
  diff: async ({ saver, steps }) => {
    const { channels } = await saver.diff(steps[0], steps[2]);
    expect(channels).toMatchObject([
      { channel: "count", before: 1, after: 3 },
      { channel: "list", before: [1], after: [3] },
    ]);
  },
  repair: async ({ saver, id }) => {
    const nothing = { threads: 0, repaired: 0, repairs: [], dryRun: true };
    expect(await saver.repair({ threads: [id], dryRun: true })).toEqual(nothing);
  },
  rebuildBlobs: async ({ saver, steps }) => {
    expect(await saver.rebuildBlobs(steps[2], {})).toEqual([]);
  },
  storage: async ({ saver, id }) => {
    const { total, threads } = await saver.storage({ threadId: id });
    expect(total).toMatchObject({ checkpoints: 3, blobs: 3, writes: 1 });
    expect(threads).toMatchObject([{ threadId: id }]);
  },
  startRetention: async ({ saver }) => {
    await using retention = saver.startRetention({ every: 60_000, keepLast: 1 });
    expect(() => saver.startRetention({ every: 60_000, keepLast: 1 })).toThrow("has a retention already");
    await retention.stop();
    await saver.startRetention({ every: 60_000, keepLast: 1 }).stop();
  },
  archive: async ({ saver, id, config }) => {
    const to = memoryArchive();
    expect(await saver.archive({ to, strategy: "delete", threads: [id] })).toMatchObject({
      ...{ threads: 1, checkpoints: 3, writes: 1, blobs: 3, files: 1, changed: 0 },
    });
    expect(await saver.getTuple(config)).toBeUndefined();
  },
  restore: async ({ saver, id, config, steps }) => {
    const archive = memoryArchive();
    await saver.archive({ to: archive, keepLast: 1, threads: [id] });
    expect(await listIds(saver.list(config))).toEqual([idOf(steps[2])]);
    expect(await saver.restore({ from: archive, threads: [id] })).toMatchObject({
      threads: 1,
      checkpoints: 2,
    });
    expect((await saver.get(steps[0]))?.channel_values).toEqual(valuesOf(1));
  },
  taskStats: async ({ saver, id }) => {
    expect(await saver.taskStats(id)).toMatchObject([{ taskId: "task", writes: 1 }]);
  },
  verify: async ({ saver, id }) => {
    expect(await saver.verify(id)).toMatchObject({ threads: 1, checkpoints: 3, problems: [] });
  },
  writesOf: async ({ saver, steps }) => {
    expect(await saver.writesOf(steps[2])).toMatchObject([{ taskId: "task", channel: "count", value: 4 }]);
  },
  exportThreads: async ({ saver, id }) => {
    const lines = await collect(saver.exportThreads({ threads: [id] }));
    expect(lines.join("\n")).toContain(id);
  },
  importThreads: async ({ saver, id, config }) => {
    const lines = await collect(saver.exportThreads({ threads: [id] }));
    await saver.deleteThread(id);
    await saver.liftTombstones([id]);
    expect(await saver.importThreads(lines)).toMatchObject({ threads: 1, checkpoints: 3 });
    expect((await saver.get(config))?.channel_values).toEqual(valuesOf(3));
  },
  prune: async ({ saver, id, config, steps }) => {
    expect(await saver.prune([id])).toMatchObject({ threads: 1, checkpoints: 2 });
    expect(await listIds(saver.list(config))).toEqual([idOf(steps[2])]);
  },
  deleteForRuns: async ({ saver, run, config, steps }) => {
    expect(await saver.deleteForRuns([run])).toMatchObject({ checkpoints: 1 });
    expect(await listIds(saver.list(config))).toEqual(steps.slice(0, 2).map(idOf).reverse());
  },
  compact: async ({ saver, id }) => {
    expect(await saver.compact({ threads: [id, "no such thread"] })).toMatchObject({
      ...{ threads: 0, values: 0, missing: ["no such thread"] },
    });
  },
  sanitize: async ({ saver, id }) => {
    expect(await saver.sanitize({ threads: [id, "no such thread"] })).toMatchObject({
      ...{ threads: 0, values: 0, missing: ["no such thread"] },
    });
  },
  expand: async ({ saver, id }) => {
    expect(await saver.expand({ threads: [id], dryRun: true })).toMatchObject({ values: 0, missing: [] });
  },
  watch: async ({ saver, id, steps }) => {
    const watch = saver.watch(id, { after: idOf(steps[1]) });
    expect((await watch.next()).value).toMatchObject({ config: steps[2] });
    await watch.return(undefined);
  },
};

function valuesOf(count: number): Record<string, unknown> {
  return { count, list: [count] };
}

function idOf(config: RunnableConfig): string {
  return String(config.configurable?.checkpoint_id);
}

/** Stores a thread for one of the {@link CALLS}. The saver must keep tombstones. */
export async function storeCountedThread(saver: PostgresSaver): Promise<CountedThread> {
  const [id, run] = [newThread(), randomUUID()];
  const config = threadConfig(id);
  const one = await putValues(saver, config, valuesOf(1));
  const two = await putValues(saver, one.config, valuesOf(2), one.checkpoint);
  const last = checkpointOf(saver, valuesOf(3), two.checkpoint);
  const three = await saver.put(two.config, last, metadataOf(2, { run_id: run }), allVersions(last));
  await saver.putWrites(three, [["count", 4]], "task");
  return { saver, id, run, config, steps: [one.config, two.config, three] };
}
