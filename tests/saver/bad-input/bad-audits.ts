import type { ChannelReducers } from "../../../src/saver/model/channel-reducers.js";
import { type BadInput, invalid, LONG_KEY, type NamedError, throwing, throwingProxy, withProtoKey } from "./bad-input.js"; // oxfmt-ignore

type Row = readonly [what: string, argument: unknown, error: NamedError];

/** Configs that can't name a checkpoint. `name` is the name of the argument. */
function targets(name: string): readonly Row[] {
  return [
    ["nothing", undefined, invalid(name)],
    ["null", null, invalid(name)],
    ["text", "t", invalid(name)],
    ["a Proxy that throws", throwingProxy(), invalid(name)],
    ["no configurable", {}, invalid(`${name}.configurable`)],
    ["no thread", { configurable: {} }, invalid(`${name}.configurable.thread_id`)],
    ["an empty thread", { configurable: { thread_id: "" } }, invalid(`${name}.configurable.thread_id`)],
    [
      "a number as checkpoint",
      { configurable: { thread_id: "t", checkpoint_id: 1 } },
      invalid(`${name}.configurable.checkpoint_id`),
    ],
    [
      "U+0000 in the namespace",
      { configurable: { thread_id: "t", checkpoint_ns: "\0" } },
      invalid(`${name}.configurable.checkpoint_ns`),
    ],
  ];
}

const TASK_OPTIONS: readonly Row[] = [
  ["text as options", "all", invalid("options")],
  ["an option that there is not", { checkpoint_ns: "" }, invalid("options.checkpoint_ns")],
  ["a number as namespace", { checkpointNs: 1 }, invalid("options.checkpointNs")],
  ["null as namespace", { checkpointNs: null }, invalid("options.checkpointNs")],
  ["U+0000 in the checkpoint", { checkpointId: "\0" }, invalid("options.checkpointId")],
  ["a signal that is none", { signal: "now" }, invalid("options.signal")],
  ["a getter that throws", throwing("checkpointNs"), invalid("options")],
];

const STORAGE: readonly Row[] = [
  ["text as query", "t", invalid("query")],
  ["an option that there is not", { thread: "t" }, invalid("query.thread")],
  ["null as thread", { threadId: null }, invalid("query.threadId")],
  ["a thread that is too long", { threadId: LONG_KEY }, invalid("query.threadId")],
  ["a limit below none", { limit: -1 }, invalid("query.limit")],
  ["a limit that is no whole number", { limit: 1.5 }, invalid("query.limit")],
  ["Infinity as limit", { limit: Infinity }, invalid("query.limit")],
  ["text as limit", { limit: "20" }, invalid("query.limit")],
  ["a signal that is none", { signal: {} }, invalid("query.signal")],
  ["a sample of nothing", { sample: 0 }, invalid("query.sample")],
  ["a sample of one thread", { threadId: "t", sample: 0.5 }, invalid("query.sample")],
  ["text as onProgress", { onProgress: "log" }, invalid("query.onProgress")],
];

const THREADS: readonly Row[] = [
  ["null as thread", null, invalid("threadId")],
  ["a list of threads", ["t"], invalid("threadId")],
  ["a thread with a lone surrogate", "\ud800", invalid("threadId")],
];

const VERIFY_OPTIONS: readonly Row[] = [
  ["text as options", "all", invalid("options")],
  ["an option that there is not", { progress: () => undefined }, invalid("options.progress")],
  ["text as onProgress", { onProgress: "log" }, invalid("options.onProgress")],
  ["a signal that is none", { signal: 1 }, invalid("options.signal")],
  ["a sample of nothing", { sample: 0 }, invalid("options.sample")],
  ["text as the time", { since: "24h" }, invalid("options.since")],
];

const REDUCERS: readonly Row[] = [
  ["nothing as reducers", undefined, invalid("reducers")],
  ["a function as reducers", () => 1, invalid("reducers")],
  ["a list as reducers", [() => 1], invalid("reducers")],
  ["text as a reducer", { a: "concat" }, invalid("reducers.a")],
  ["an annotation as a reducer", { a: { reducer: () => 1 } }, invalid("reducers.a")],
  ["a reducer of __proto__", withProtoKey(() => 1), invalid("reducers")],
  ["a Proxy that throws as reducers", throwingProxy(), invalid("reducers")],
];

/** Invalid arguments of the audit methods. */
export const BAD_AUDITS: readonly BadInput[] = [
  ...targets("config").flatMap(([what, config, error]): BadInput[] => [
    { what: `writesOf with ${what}`, call: ({ saver }) => saver.writesOf(config as object), error },
    {
      what: `rebuildBlobs with ${what}`,
      call: ({ saver }) => saver.rebuildBlobs(config as object, {}),
      error,
    },
  ]),
  ...targets("a").map(([what, a, error]): BadInput => ({
    what: `diff with ${what} as the first`,
    call: ({ saver, config }) => saver.diff(a as object, config),
    error,
  })),
  ...targets("b").map(([what, b, error]): BadInput => ({
    what: `diff with ${what} as the second`,
    call: ({ saver, config }) => saver.diff(config, b as object),
    error,
  })),
  ...TASK_OPTIONS.map(([what, options, error]): BadInput => ({
    what: `taskStats with ${what}`,
    call: ({ saver }) => saver.taskStats("standing", options as object),
    error,
  })),
  ...THREADS.map(([what, thread, error]): BadInput => ({
    what: `taskStats with ${what}`,
    call: ({ saver }) => saver.taskStats(thread as string),
    error,
  })),
  // Other savers store threads with an empty id, so that only a check of one may name it.
  ...THREADS.filter(([, thread]) => thread !== "").map(([what, thread, error]): BadInput => ({
    what: `verify with ${what}`,
    call: ({ saver }) => saver.verify(thread as string),
    error,
  })),
  ...STORAGE.map(([what, query, error]): BadInput => ({
    what: `storage with ${what}`,
    call: ({ saver }) => saver.storage(query as object),
    error,
  })),
  ...VERIFY_OPTIONS.map(([what, options, error]): BadInput => ({
    what: `verify with ${what}`,
    call: ({ saver }) => saver.verify("standing", options as object),
    error,
  })),
  ...REDUCERS.map(([what, reducers, error]): BadInput => ({
    what: `rebuildBlobs with ${what}`,
    call: ({ saver, config }) => saver.rebuildBlobs(config, reducers as ChannelReducers),
    error,
  })),
];
