import type { ThreadLockOptions } from "../../../src/index.js";
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

const RUNS: readonly Row[] = [
  ["no function", undefined, invalid("run")],
  ["a promise as function", Promise.resolve(), invalid("run")],
];

const OPTIONS: readonly Row[] = [
  ["a number as options", 500, invalid("options")],
  ["a Proxy that throws as options", throwingProxy(), invalid("options")],
  ["a getter of waitMs that throws", throwing("waitMs"), invalid("options")],
  ["a wait below none", { waitMs: -1 }, invalid("options.waitMs")],
  ["NaN as wait", { waitMs: NaN }, invalid("options.waitMs")],
  ["text as wait", { waitMs: "500" }, invalid("options.waitMs")],
  ["null as wait", { waitMs: null }, invalid("options.waitMs")],
  ["an unknown option", { waitMS: 0 }, invalid("options.waitMS")],
  ["a controller as signal", { signal: new AbortController() }, invalid("options.signal")],
  ["a Proxy that throws as signal", { signal: throwingProxy() }, invalid("options.signal")],
];

const never = (): never => {
  throw new Error("ran");
};

/** Calls of `withThreadLock` that are refused before anything runs. */
export const BAD_LOCKS: readonly BadInput[] = [
  ...THREADS.map(([what, thread, error]): BadInput => ({
    what: `withThreadLock: ${what}`,
    call: ({ saver }) => saver.withThreadLock(thread as string, never),
    error,
  })),
  ...RUNS.map(([what, run, error]): BadInput => ({
    what: `withThreadLock: ${what}`,
    call: ({ saver }) => saver.withThreadLock("1", run as never),
    error,
  })),
  ...OPTIONS.map(([what, options, error]): BadInput => ({
    what: `withThreadLock: ${what}`,
    call: ({ saver }) => saver.withThreadLock("1", never, options as ThreadLockOptions),
    error,
  })),
];
