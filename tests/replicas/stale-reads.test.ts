import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { PostgresSaver } from "../../src/index.js";
import { collect, listIds, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { Replicated } from "./replicated.js";

interface Read {
  readonly what: string;
  /** @returns What differs between the replica and the primary. */
  readonly call: (
    saver: PostgresSaver,
    config: RunnableConfig,
    options: { staleReads?: boolean },
  ) => Promise<unknown>;
}

const idOf = (config: RunnableConfig): string => String(config.configurable?.thread_id);

const BY_DEFAULT: readonly Read[] = [
  { what: "listThreads", call: (saver, _, options) => saver.listThreads(options) },
  { what: "listTombstones", call: (saver, _, options) => saver.listTombstones(options) },
  { what: "history", call: (saver, config, options) => saver.history(idOf(config), options) },
  { what: "writesOf", call: (saver, config, options) => saver.writesOf(config, options) },
  { what: "taskStats", call: (saver, config, options) => saver.taskStats(idOf(config), options) },
  {
    what: "storage",
    call: (saver, config, options) => saver.storage({ threadId: idOf(config), ...options }),
  },
  { what: "diff", call: (saver, config, options) => saver.diff(config, config, options) },
  { what: "verify", call: (saver, config, options) => saver.verify(idOf(config), options) },
];

const IF_ASKED: readonly Read[] = [
  {
    what: "getTuple",
    call: async (saver, config, options) => (await saver.getTuple(config, options))?.checkpoint.id,
  },
  { what: "list", call: (saver, config, options) => listIds(saver.list(config, options)) },
  { what: "list of all threads", call: (saver, _, options) => listIds(saver.list({}, options)) },
  {
    what: "getChannelValues",
    call: (saver, config, options) =>
      saver.getChannelValues({ threadIds: [idOf(config)], channel: "a" }, options),
  },
  {
    what: "getDeltaChannelHistory",
    call: (saver, config, options) => saver.getDeltaChannelHistory({ config, channels: ["a"], ...options }),
  },
  {
    what: "exportThreads",
    call: (saver, config, options) => collect(saver.exportThreads({ threads: [idOf(config)], ...options })),
  },
];

describe("a saver with a replica", () => {
  let servers: Replicated;
  beforeAll(async () => {
    servers = await Replicated.start();
  });
  afterEach(() => servers.resume());
  afterAll(() => servers.remove());

  /** Stores one checkpoint that the replica has, and then changes that it does not get. */
  async function diverge(saver: PostgresSaver): Promise<RunnableConfig> {
    const thread = threadConfig(newThread());
    const first = await putValues(saver, thread, { a: ["first"] });
    await saver.putWrites(first.config, [["a", "old"]], "task");
    await servers.pause();
    const second = await putValues(saver, first.config, { a: ["second"] }, first.checkpoint);
    await saver.putWrites(second.config, [["a", "new"]], "another task");
    const deleted = newThread();
    await putValues(saver, threadConfig(deleted), {});
    await saver.deleteThread(deleted);
    return thread;
  }

  it("reads the replica by default where a call may be stale, and the primary where the caller says so", async () => {
    const { saver } = servers.open({ keepTombstones: true });
    const { saver: plain } = servers.open({ replica: undefined });
    const thread = await diverge(saver);
    for (const { what, call } of BY_DEFAULT) {
      const fresh = await call(plain, thread, {});
      expect([what, await call(saver, thread, { staleReads: false })]).toEqual([what, fresh]);
      expect([what, await call(saver, thread, {})]).not.toEqual([what, fresh]);
    }
    await Promise.all([saver.end(), plain.end()]);
  });

  it("never reads the replica where a run continues from the result, unless the caller says so", async () => {
    const { saver } = servers.open();
    const { saver: plain } = servers.open({ replica: undefined });
    const thread = await diverge(saver);
    for (const { what, call } of IF_ASKED) {
      const fresh = await call(plain, thread, {});
      expect([what, await call(saver, thread, {})]).toEqual([what, fresh]);
      expect([what, await call(saver, thread, { staleReads: true })]).not.toEqual([what, fresh]);
    }
    await Promise.all([saver.end(), plain.end()]);
  });
});
