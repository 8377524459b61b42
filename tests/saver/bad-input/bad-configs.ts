import type { RunnableConfig } from "@langchain/core/runnables";
import { type BadInput, invalid, LONG_KEY, type Standing, throwing, throwingProxy } from "./bad-input.js";

type Method = "put" | "putWrites" | "getTuple" | "list" | "getDeltaChannelHistory";

const CALLS: Record<Method, (standing: Standing, config: RunnableConfig) => Promise<unknown>> = {
  put: ({ saver, checkpoint }, config) =>
    saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, {}),
  putWrites: ({ saver }, config) => saver.putWrites(config, [["a", 1]], "task"),
  getTuple: ({ saver }, config) => saver.getTuple(config),
  list: ({ saver }, config) => saver.list(config).next(),
  getDeltaChannelHistory: ({ saver }, config) => saver.getDeltaChannelHistory({ config, channels: ["a"] }),
};

const EVERY: readonly Method[] = ["put", "putWrites", "getTuple", "list", "getDeltaChannelHistory"];
const WRITING: readonly Method[] = ["put", "putWrites"];

type BadConfig = readonly [what: string, config: unknown, field: string, methods?: readonly Method[]];

const SHAPES: readonly BadConfig[] = [
  ["no config", undefined, "config", ["put", "putWrites", "getTuple", "getDeltaChannelHistory"]],
  ["null as config", null, "config", ["put", "putWrites", "getTuple", "getDeltaChannelHistory"]],
  ["text as config", "thread", "config"],
  ["a number as config", 1, "config"],
  ["a function as config", () => 1, "config"],
  ["a list as config", [], "config"],
  ["a config without configurable", {}, "config.configurable", WRITING],
  ["a config without a prototype and configurable", Object.create(null), "config.configurable", WRITING],
  ["null as configurable", { configurable: null }, "config.configurable"],
  ["text as configurable", { configurable: "thread" }, "config.configurable"],
  ["a list as configurable", { configurable: ["thread"] }, "config.configurable"],
  ["a getter of configurable that throws", throwing("configurable"), "config"],
  ["a getter of thread_id that throws", { configurable: throwing("thread_id") }, "config"],
  ["a Proxy that throws as config", throwingProxy(), "config"],
  ["a Proxy that throws as configurable", { configurable: throwingProxy() }, "config"],
];

const NO_TEXT: readonly (readonly [what: string, key: unknown])[] = [
  ["an object", {}],
  ["a list", ["a"]],
  ["a boolean", true],
  ["a function", () => "a"],
  ["a symbol", Symbol("a")],
  ["U+0000", "a\0b"],
  ["a lone surrogate", "a\ud800"],
  ["more than 2,000 bytes", LONG_KEY],
];

const THREADS: readonly BadConfig[] = [
  ["no thread", { configurable: {} }, "config.configurable.thread_id", WRITING],
  [
    "an undefined thread",
    { configurable: { thread_id: undefined } },
    "config.configurable.thread_id",
    WRITING,
  ],
  [
    "null as thread",
    { configurable: { thread_id: null } },
    "config.configurable.thread_id",
    ["put", "putWrites", "list"],
  ],
  ...[["empty text", ""] as const, ["NaN", NaN] as const, ["Infinity", Infinity] as const, ...NO_TEXT].map(
    ([what, thread_id]): BadConfig => [
      `${what} as thread`,
      { configurable: { thread_id, checkpoint_id: "1" } },
      "config.configurable.thread_id",
    ],
  ),
];

const NAMESPACES = [["a number", 1] as const, ...NO_TEXT].map(([what, checkpoint_ns]): BadConfig => [
  `${what} as namespace`,
  { configurable: { thread_id: "t", checkpoint_ns, checkpoint_id: "1" } },
  "config.configurable.checkpoint_ns",
]);

const CHECKPOINT_IDS: readonly BadConfig[] = [
  ...[["a number", 1] as const, ...NO_TEXT].map(([what, checkpoint_id]): BadConfig => [
    `${what} as checkpoint_id`,
    { configurable: { thread_id: "t", checkpoint_id } },
    "config.configurable.checkpoint_id",
  ]),
  ...[undefined, null, ""].map((checkpoint_id): BadConfig => [
    `${checkpoint_id === "" ? "empty text" : String(checkpoint_id)} as checkpoint_id`,
    { configurable: { thread_id: "t", checkpoint_id } },
    "config.configurable.checkpoint_id",
    ["putWrites"],
  ]),
];

const TIMES_TO_LIVE: readonly BadConfig[] = [
  ["less than none", -1],
  ["text", "2h"],
  ["an endless one", Infinity],
].map(([what, thread_ttl_ms]): BadConfig => [
  `${String(what)} as time to live`,
  { configurable: { thread_id: "t", thread_ttl_ms } },
  "config.configurable.thread_ttl_ms",
  ["put"],
]);

/** Invalid configs, with each method that has to refuse them. */
export const BAD_CONFIGS: readonly BadInput[] = [
  ...SHAPES,
  ...THREADS,
  ...NAMESPACES,
  ...CHECKPOINT_IDS,
  ...TIMES_TO_LIVE,
].flatMap(([what, config, field, methods = EVERY]) =>
  methods.map((method) => ({
    what: `${method} with ${what}`,
    call: (standing: Standing) => CALLS[method](standing, config as RunnableConfig),
    error: invalid(field),
  })),
);
