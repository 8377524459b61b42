import type { RunnableConfig } from "@langchain/core/runnables";
import { CheckpointNotFoundError } from "../../../src/index.js";
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

const COPIES: readonly (readonly [what: string, source: unknown, target: unknown, error: NamedError])[] = [
  ["no source", undefined, "b", invalid("source")],
  ["null as target", "a", null, invalid("target")],
  ["an empty target", "a", "", invalid("target")],
  ["U+0000 in the target", "a", "\0", invalid("target")],
  ["the same thread twice", "standing", "standing", invalid("target")],
];

const HISTORY_OPTIONS: readonly Row[] = [
  ["a number as namespace", { checkpointNs: 1 }, invalid("options.checkpointNs")],
  ["a limit of none", { limit: 0 }, invalid("options.limit")],
  ["a limit that is no integer", { limit: 1.5 }, invalid("options.limit")],
  ["an empty before", { before: "" }, invalid("options.before")],
  ["U+0000 in before", { before: "\0" }, invalid("options.before")],
];

const QUERIES: readonly Row[] = [
  ["text", "all", invalid("query")],
  ["a Proxy that throws", throwingProxy(), invalid("query")],
  ["an option that there is not", { threads: [] }, invalid("query.threads")],
  ["a limit below none", { limit: -1 }, invalid("query.limit")],
  ["text as limit", { limit: "10" }, invalid("query.limit")],
  ["a number as after", { after: 1 }, invalid("query.after")],
  ["a time as text", { updatedAfter: "2025-01-01" }, invalid("query.updatedAfter")],
  ["a time that is none", { updatedAfter: new Date(NaN) }, invalid("query.updatedAfter")],
  ["a list as filter", { filter: [] }, invalid("query.filter")],
  ["a filter by __proto__", { filter: withProtoKey(1) }, invalid("query.filter")],
  ["a filter by a lost value", { filter: { user: undefined } }, invalid("query.filter.user")],
  ["a filter by a cycle", { filter: { a: cycle() } }, unstorable("query.filter.a.self")],
  ["text as signal", { signal: "now" }, invalid("query.signal")],
];

const FORK_OPTIONS: readonly Row[] = [
  ["text as options", "b", invalid("options")],
  ["an option that there is not", { value: {} }, invalid("options.value")],
  ["a list as values", { values: [1] }, invalid("options.values")],
  ["a channel without a value", { values: { a: undefined } }, invalid("options.values.a")],
  ["a channel named __proto__", { values: withProtoKey(1) }, invalid("options.values")],
  ["a getter of a value that throws", { values: throwing("a") }, invalid("options")],
  ["a function as value", { values: { a: () => 1 } }, unstorable("", { channel: "a" })],
  ["a reducer that is none", { reducers: { a: "append" } }, invalid("options.reducers.a")],
  ["a Proxy that throws as reducers", { reducers: throwingProxy() }, invalid("options")],
];

const COPY_OPTIONS: readonly Row[] = [
  ["text as options", "b", invalid("options")],
  ["text as reencode", { reencode: "yes" }, invalid("options.reencode")],
  ["an unknown option", { reencoded: true }, invalid("options.reencoded")],
];

const TOMBSTONE_QUERIES: readonly (readonly [what: string, query: unknown, error: NamedError])[] = [
  ["a number as after", { after: 42 }, invalid("query.after")],
  ["a limit below zero", { limit: -1 }, invalid("query.limit")],
  ["a limit that is no number", { limit: "1" }, invalid("query.limit")],
  ["a signal that is none", { signal: "now" }, invalid("query.signal")],
  ["an unknown option", { filter: {} }, invalid("query.filter")],
];

const LIFTS: readonly (readonly [what: string, ids: unknown, options: unknown, error: NamedError])[] = [
  ["one thread", "42", undefined, invalid("threadIds")],
  ["null as a thread", [null], undefined, invalid("threadIds.0")],
  ["a signal that is none", ["42"], { signal: "now" }, invalid("options.signal")],
  ["an unknown option", ["42"], { after: "1" }, invalid("options.after")],
];

/** Invalid arguments of the methods that copy, list, fork and roll back threads. */
export const BAD_LIFE: readonly BadInput[] = [
  ...COPIES.map(([what, source, target, error]): BadInput => ({
    what: `copyThread with ${what}`,
    call: ({ saver }) => saver.copyThread(source as string, target as string),
    error,
  })),
  ...COPY_OPTIONS.map(([what, options, error]): BadInput => ({
    what: `copyThread with ${what}`,
    call: ({ saver }) => saver.copyThread("a", "b", options as object),
    error,
  })),
  ...QUERIES.map(([what, query, error]): BadInput => ({
    what: `listThreads with ${what}`,
    call: ({ saver }) => saver.listThreads(query as object),
    error,
  })),
  ...TOMBSTONE_QUERIES.map(([what, query, error]): BadInput => ({
    what: `listTombstones with ${what}`,
    call: ({ saver }) => saver.listTombstones(query as object),
    error,
  })),
  ...LIFTS.map(([what, threadIds, options, error]): BadInput => ({
    what: `liftTombstones with ${what}`,
    call: ({ saver }) => saver.liftTombstones(threadIds as string[], options as object),
    error,
  })),
  ...FORK_OPTIONS.map(([what, options, error]): BadInput => ({
    what: `fork with ${what}`,
    call: ({ saver, config }) => saver.fork(config, options as object),
    error,
  })),
  {
    what: "fork without a thread",
    call: ({ saver }) => saver.fork({ configurable: {} } as RunnableConfig),
    error: invalid("config.configurable.thread_id"),
  },
  {
    what: "fork of a checkpoint that there is not",
    call: ({ saver }) => saver.fork({ configurable: { thread_id: "standing", checkpoint_id: "none" } }),
    error: { type: CheckpointNotFoundError, fields: { code: "CHECKPOINT_NOT_FOUND", checkpointId: "none" } },
  },
  {
    what: "rollback with an empty checkpoint",
    call: ({ saver }) => saver.rollback("standing", ""),
    error: invalid("checkpointId"),
  },
  {
    what: "rollback with values",
    call: ({ saver }) => saver.rollback("standing", "1", { values: { a: 1 } } as object),
    error: invalid("options.values"),
  },
  {
    what: "history without a thread",
    call: ({ saver }) => saver.history({} as string),
    error: invalid("threadId"),
  },
  ...HISTORY_OPTIONS.map(([what, options, error]): BadInput => ({
    what: `history with ${what}`,
    call: ({ saver }) => saver.history("standing", options as object),
    error,
  })),
];
