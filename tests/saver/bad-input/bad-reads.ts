import type { CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import {
  type BadInput,
  cycle,
  invalid,
  type NamedError,
  throwing,
  throwingProxy,
  unstorable,
  withProtoKey,
} from "./bad-input.js";

type Row = readonly [what: string, argument: unknown, error: NamedError];

const READ_OPTIONS: readonly Row[] = [
  ["text as options", "all", invalid("options")],
  ["a list as options", [], invalid("options")],
  ["a Proxy that throws as options", throwingProxy(), invalid("options")],
  ["text as values", { values: "no" }, invalid("options.values")],
  ["null as values", { values: null }, invalid("options.values")],
  ["text as channels", { channels: "a" }, invalid("options.channels")],
  ["a Set as channels", { channels: new Set(["a"]) }, invalid("options.channels")],
  ["a channel that is no text", { channels: ["a", 1] }, invalid("options.channels.1")],
  ["a channel with U+0000", { channels: ["\0"] }, invalid("options.channels.0")],
  ["channels without values", { channels: ["a"], values: false }, invalid("options.channels")],
  ["a number as writes", { writes: 1 }, invalid("options.writes")],
  ["a getter of values that throws", throwing("values"), invalid("options")],
  ["an unknown option", { value: false }, invalid("options.value")],
];

const LIST_OPTIONS: readonly Row[] = [
  ["a limit below none", { limit: -1 }, invalid("options.limit")],
  ["a limit that is no whole number", { limit: 1.5 }, invalid("options.limit")],
  ["NaN as limit", { limit: NaN }, invalid("options.limit")],
  ["Infinity as limit", { limit: Infinity }, invalid("options.limit")],
  ["text as limit", { limit: "10" }, invalid("options.limit")],
  ["null as limit", { limit: null }, invalid("options.limit")],
  ["text as before", { before: "1" }, invalid("options.before")],
  ["null as before", { before: null }, invalid("options.before")],
  [
    "text as configurable of before",
    { before: { configurable: "1" } },
    invalid("options.before.configurable"),
  ],
  [
    "a number as checkpoint of before",
    { before: { configurable: { checkpoint_id: 1 } } },
    invalid("options.before.configurable.checkpoint_id"),
  ],
  [
    "U+0000 in the checkpoint of before",
    { before: { configurable: { checkpoint_id: "\0" } } },
    invalid("options.before.configurable.checkpoint_id"),
  ],
  ["text as filter", { filter: "loop" }, invalid("options.filter")],
  ["a list as filter", { filter: ["loop"] }, invalid("options.filter")],
  ["null as filter", { filter: null }, invalid("options.filter")],
  ["a filter by __proto__", { filter: withProtoKey("a") }, invalid("options.filter")],
  [
    "a filter that inherits what it asks for",
    { filter: Object.create({ user: "a" }) as object },
    invalid("options.filter"),
  ],
  ["undefined in a filter", { filter: { user: undefined } }, invalid("options.filter.user")],
  [
    "undefined deep in a filter",
    { filter: { of: [{ user: undefined }] } },
    invalid("options.filter.of.0.user"),
  ],
  ["a function in a filter", { filter: { user: () => 1 } }, unstorable("options.filter.user")],
  ["a symbol in a filter", { filter: { user: Symbol("s") } }, unstorable("options.filter.user")],
  ["a cycle in a filter", { filter: { of: cycle() } }, unstorable("options.filter.of.self")],
  ["a getter in a filter that throws", { filter: { of: throwing("x") } }, unstorable("options.filter")],
  ["a Proxy in a filter that throws", { filter: { of: throwingProxy() } }, unstorable("options.filter")],
];

const CHANNEL_VALUES: readonly Row[] = [
  ["nothing", undefined, invalid("request")],
  ["null", null, invalid("request")],
  ["a Proxy that throws", throwingProxy(), invalid("request")],
  ["an unknown key", { threadIds: ["t"], channel: "a", namespace: "" }, invalid("request.namespace")],
  ["no threads", { channel: "a" }, invalid("request.threadIds")],
  ["text as threads", { threadIds: "t", channel: "a" }, invalid("request.threadIds")],
  ["an empty thread", { threadIds: ["t", ""], channel: "a" }, invalid("request.threadIds.1")],
  ["null as thread", { threadIds: [null], channel: "a" }, invalid("request.threadIds.0")],
  ["a thread with U+0000", { threadIds: ["\0"], channel: "a" }, invalid("request.threadIds.0")],
  ["no channel", { threadIds: ["t"] }, invalid("request.channel")],
  ["a number as channel", { threadIds: ["t"], channel: 1 }, invalid("request.channel")],
  ["a channel with U+0000", { threadIds: ["t"], channel: "\0" }, invalid("request.channel")],
  [
    "a number as namespace",
    { threadIds: ["t"], channel: "a", checkpointNs: 1 },
    invalid("request.checkpointNs"),
  ],
];

const thread = { configurable: { thread_id: "t" } };
const DELTA: readonly Row[] = [
  ["nothing", undefined, invalid("options")],
  ["null", null, invalid("options")],
  ["a Proxy that throws", throwingProxy(), invalid("options")],
  ["no channels", { config: thread }, invalid("channels")],
  ["text as channels", { config: thread, channels: "a" }, invalid("channels")],
  ["a number as channel", { config: thread, channels: [1] }, invalid("channels.0")],
  ["a channel with a lone surrogate", { config: thread, channels: ["\ud800"] }, invalid("channels.0")],
];

/** Invalid arguments of the reading methods, except configs. */
export const BAD_READS: readonly BadInput[] = [
  ...READ_OPTIONS.flatMap(([what, options, error]): BadInput[] => [
    {
      what: `getTuple with ${what}`,
      call: ({ saver, config }) => saver.getTuple(config, options as object),
      error,
    },
    {
      what: `list with ${what}`,
      call: ({ saver, config }) => saver.list(config, options as object).next(),
      error,
    },
  ]),
  ...LIST_OPTIONS.map(([what, options, error]): BadInput => ({
    what: `list with ${what}`,
    call: ({ saver, config }) => saver.list(config, options as CheckpointListOptions).next(),
    error,
  })),
  ...CHANNEL_VALUES.map(([what, request, error]): BadInput => ({
    what: `getChannelValues with ${what}`,
    call: ({ saver }) => saver.getChannelValues(request as { threadIds: string[]; channel: string }),
    error,
  })),
  ...DELTA.map(([what, options, error]): BadInput => ({
    what: `getDeltaChannelHistory with ${what}`,
    call: ({ saver }) =>
      saver.getDeltaChannelHistory(options as { config: typeof thread; channels: string[] }),
    error,
  })),
];
