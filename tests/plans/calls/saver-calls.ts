import type { RunnableConfig } from "@langchain/core/runnables";
import type { PostgresSaver } from "../../../src/index.js";
import {
  checkpointOf,
  collect,
  newThread,
  nextId,
  putValues,
  threadConfig,
} from "../../../test-support/checkpoints.js";
import { CALLS, storeCountedThread } from "../../saver/every-call.js";

/** A call, by a name that a failed test shows. */
export type NamedCall = readonly [name: string, call: () => Promise<unknown>];

/** Options that change the statements of a saver. */
export const SAVERS = {
  default: {},
  splices: { splices: true },
  guarded: { concurrency: "optimistic", keepLast: 9, splices: true, notify: true },
} as const;

/** They send nothing, or what other calls send, and take long. */
const LEFT_OUT: ReadonlySet<string> = new Set(["setup", "startRetention", "watch", "end"]);

/** Every call of a saver, and its reads with each kind of argument. */
export function saverCalls(saver: PostgresSaver): NamedCall[] {
  const methods = Object.entries(CALLS)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, call]): NamedCall => [name, async () => call(await storeCountedThread(saver))]);
  return [...methods, ...readAndWideCalls(saver)];
}

/** The calls that do not need several checkpoints of a namespace. */
export function readAndWideCalls(saver: PostgresSaver): NamedCall[] {
  return [...lists(saver), ...wideCalls(saver), ...others(saver)];
}

function lists(saver: PostgresSaver): NamedCall[] {
  const read = (config: RunnableConfig, options?: Parameters<PostgresSaver["list"]>[1]) => () =>
    collect(saver.list(config, options));
  const listed = async (more: Record<string, unknown>, options?: Parameters<PostgresSaver["list"]>[1]) => {
    const id = newThread();
    let { config, checkpoint } = await putValues(saver, threadConfig(id), { a: 1, list: [1] });
    for (let step = 0; step < 9; step++) {
      ({ config, checkpoint } = await putValues(saver, config, { a: step, list: [step] }, checkpoint));
    }
    await read(threadConfig(id, more), options)();
  };
  const before = threadConfig("any", { checkpoint_id: nextId() });
  return [
    ["list of a namespace", () => listed({ checkpoint_ns: "" })],
    ["list of a thread before", () => listed({}, { before, limit: 7 })],
    ["list of a thread by metadata", () => listed({}, { filter: { source: "loop" } })],
    ["list of a checkpoint", () => listed({ checkpoint_id: nextId() })],
    ["list of all threads", read({}, { limit: 20 })],
    ["list of all threads before", read({}, { before, limit: 20 })],
    ["list of all threads by metadata", read({}, { filter: { source: "loop" }, limit: 20 })],
  ];
}

/** Checkpoints with more channels, and calls with more rows, than most have. */
function wideCalls(saver: PostgresSaver): NamedCall[] {
  const wide = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`channel ${n}`, [n]] as const));
  const write = Array.from({ length: 200 }, (_, n): [string, unknown] => ["list", n]);
  return [
    [
      "calls about 60 channels",
      async () => {
        const id = newThread();
        const first = await putValues(saver, threadConfig(id), wide);
        const { config } = await putValues(saver, first.config, wide, first.checkpoint);
        await saver.putWrites(config, write, "task");
        await saver.getTuple(config);
        await collect(saver.list(threadConfig(id)));
        const channels = Object.keys(wide);
        await saver.getTuple(config, { channels: channels.slice(0, 30) });
        await saver.getDeltaChannelHistory({ config, channels });
        await saver.deleteThread(id);
      },
    ],
    [
      "batch of 30 threads",
      async () => {
        await saver.batch(async (batch) => {
          for (let n = 0; n < 30; n++) {
            const checkpoint = checkpointOf(saver, { a: n, list: [n] });
            await batch.put(
              threadConfig(newThread(), { checkpoint_ns: "" }),
              checkpoint,
              { source: "loop", step: n, parents: {} },
              checkpoint.channel_versions,
            );
          }
        });
      },
    ],
    [
      "calls of 30 threads at once",
      async () => {
        const threads = Array.from({ length: 30 }, () => newThread());
        await Promise.all(
          threads.map(async (thread) => {
            const { config } = await putValues(saver, threadConfig(thread), { a: 1, list: [thread] });
            await saver.putWrites(config, [["list", 1]], "task");
            await saver.getTuple(threadConfig(thread));
          }),
        );
        await saver.getChannelValues({ threadIds: threads, channel: "list" });
        await saver.getChannelValues({ threadIds: threads, channel: "a" });
      },
    ],
  ];
}

function others(saver: PostgresSaver): NamedCall[] {
  return [
    ["history before", () => saver.history("t5", { limit: 100, before: "5" })],
    ["listThreads", () => saver.listThreads()],
    ["listThreads after", () => saver.listThreads({ after: "t5", limit: 1_000 })],
    ["listThreads by metadata", () => saver.listThreads({ filter: { source: "loop" }, limit: 100 })],
    ["storage of all threads", () => saver.storage({ onProgress: () => undefined })],
    ["storage of some threads", () => saver.storage({ sample: 0.9 })],
    ["storage of a checkpoint", () => saver.storage({ threadId: "t5", checkpointId: "1" })],
    ["taskStats of all threads", () => saver.taskStats({ since: new Date(0) })],
    ["verify of all threads", () => saver.verify(undefined, { onProgress: () => undefined })],
    ["verify of some threads", () => saver.verify(undefined, { sample: 0.9, since: new Date(0) })],
  ];
}
