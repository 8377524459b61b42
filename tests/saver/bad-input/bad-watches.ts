import type { WatchOptions } from "../../../src/index.js";
import { type BadInput, invalid, LONG_KEY, type NamedError, throwing, throwingProxy } from "./bad-input.js";

type Row = readonly [what: string, argument: unknown, error: NamedError];

const THREADS: readonly Row[] = [
  ["no thread", undefined, invalid("threadId")],
  ["null as thread", null, invalid("threadId")],
  ["an empty thread", "", invalid("threadId")],
  ["a thread with U+0000", "a\0b", invalid("threadId")],
  ["a thread with a lone surrogate", "\ud800", invalid("threadId")],
  ["a thread that is too long", LONG_KEY, invalid("threadId")],
  ["a config as thread", { configurable: { thread_id: "1" } }, invalid("threadId")],
];

const OPTIONS: readonly Row[] = [
  ["text as options", "root", invalid("options")],
  ["null as options", null, invalid("options")],
  ["a Proxy that throws as options", throwingProxy(), invalid("options")],
  ["a getter of checkpointNs that throws", throwing("checkpointNs"), invalid("options")],
  ["a number as namespace", { checkpointNs: 1 }, invalid("options.checkpointNs")],
  ["null as namespace", { checkpointNs: null }, invalid("options.checkpointNs")],
  ["a namespace with U+0000", { checkpointNs: "\0" }, invalid("options.checkpointNs")],
  ["a namespace that is too long", { checkpointNs: LONG_KEY }, invalid("options.checkpointNs")],
  ["a number as checkpoint to go on after", { after: 1 }, invalid("options.after")],
  ["null as checkpoint to go on after", { after: null }, invalid("options.after")],
  ["a checkpoint to go on after with U+0000", { after: "\0" }, invalid("options.after")],
  ["a checkpoint to go on after that is too long", { after: LONG_KEY }, invalid("options.after")],
  ["a getter of after that throws", throwing("after"), invalid("options")],
  ["a misspelt option", { namespace: "" }, invalid("options.namespace")],
  ["a controller as signal", { signal: new AbortController() }, invalid("options.signal")],
  ["a Proxy that throws as signal", { signal: throwingProxy() }, invalid("options.signal")],
];

/** Calls of `watch` that are refused before anything is listened to. */
export const BAD_WATCHES: readonly BadInput[] = [
  ...THREADS.map(([what, thread, error]): BadInput => ({
    what: `watch: ${what}`,
    call: ({ saver }) => saver.watch(thread as string).next(),
    error,
  })),
  ...OPTIONS.map(([what, options, error]): BadInput => ({
    what: `watch: ${what}`,
    call: ({ saver }) => saver.watch("1", options as WatchOptions).next(),
    error,
  })),
];
