import type { RetentionOptions, RetentionSchedule } from "../../../src/index.js";
import { type BadInput, invalid, LONG_KEY, type NamedError, throwing, throwingProxy } from "./bad-input.js";

type Row = readonly [what: string, argument: unknown, error: NamedError];

const THREADS: readonly Row[] = [
  ["no threads and no bounds", undefined, invalid("options")],
  ["null", null, invalid("options")],
  ["a thread that is no list", "standing", invalid("options")],
  ["null in the list of threads", [null], invalid("threadIds.0")],
  ["a thread with U+0000", ["a\0b"], invalid("threadIds.0")],
  ["a thread that is too long", [LONG_KEY], invalid("threadIds.0")],
  ["a Proxy that throws as options", throwingProxy(), invalid("options")],
];

const STRATEGIES: readonly Row[] = [
  ["an unknown strategy", { strategy: "keep_all" }, invalid("options.strategy")],
  ["null as strategy", { strategy: null }, invalid("options.strategy")],
  ["a bound beside threads", { keepLast: 1 }, invalid("options.keepLast")],
  ["a controller as signal", { signal: new AbortController() }, invalid("options.signal")],
  ["text as dryRun", { dryRun: "yes" }, invalid("options.dryRun")],
];

const RETENTION: readonly Row[] = [
  ["no bound", {}, invalid("options")],
  ["bounds that got lost", { keepLast: undefined, olderThanMs: undefined }, invalid("options")],
  ["an unknown option", { keepLast: 1, keepFirst: 1 }, invalid("options.keepFirst")],
  ["an age below none", { olderThanMs: -1 }, invalid("options.olderThanMs")],
  ["NaN as age", { olderThanMs: NaN }, invalid("options.olderThanMs")],
  ["an age without end", { olderThanMs: Infinity }, invalid("options.olderThanMs")],
  ["text as age", { olderThanMs: "1000" }, invalid("options.olderThanMs")],
  ["half a checkpoint", { keepLast: 0.5 }, invalid("options.keepLast")],
  ["no checkpoint to keep", { keepLast: 0 }, invalid("options.keepLast")],
  ["fewer than no checkpoints", { keepLast: -1 }, invalid("options.keepLast")],
  ["null as threads", { keepLast: 1, threads: null }, invalid("options.threads")],
  ["text as namespaces", { keepLast: 1, namespaces: "" }, invalid("options.namespaces")],
  ["a namespace with U+0000", { keepLast: 1, namespaces: ["\0"] }, invalid("options.namespaces.0")],
  ["text as dryRun", { keepLast: 1, dryRun: "yes" }, invalid("options.dryRun")],
  ["batches of none", { keepLast: 1, batchSize: 0 }, invalid("options.batchSize")],
  ["batches of too many", { keepLast: 1, batchSize: 10_001 }, invalid("options.batchSize")],
  ["no function for progress", { keepLast: 1, onProgress: [] }, invalid("options.onProgress")],
  ["a Proxy that throws as signal", { keepLast: 1, signal: throwingProxy() }, invalid("options.signal")],
  ["text as the time of idleness", { idleForMs: "90d" }, invalid("options.idleForMs")],
  ["a time of idleness that got lost", { idleForMs: undefined, keepLast: 1 }, invalid("options.idleForMs")],
  ["idle threads in the future", { idleForMs: -1 }, invalid("options.idleForMs")],
  ["idle threads and a bound", { idleForMs: 1, keepLast: 1 }, invalid("options.keepLast")],
  ["a getter of keepLast that throws", throwing("keepLast"), invalid("options")],
];

const RUNS: readonly Row[] = [
  ["no runs", undefined, invalid("runIds")],
  ["a run that is no list", "run", invalid("runIds")],
  ["an empty run", [""], invalid("runIds.0")],
  ["a number as run", [1], invalid("runIds.0")],
  ["a run with U+0000", ["\0"], invalid("runIds.0")],
];

const REWRITING: readonly (readonly [string, unknown, BadInput["error"]])[] = [
  ["a thread without its list", { threads: "standing" }, invalid("options.threads")],
  ["text as dryRun", { dryRun: "yes" }, invalid("options.dryRun")],
  ["progress that is no function", { onProgress: true }, invalid("options.onProgress")],
  ["an unknown option", { batchSize: 1 }, invalid("options.batchSize")],
];

const every = 60_000;

const SCHEDULES: readonly Row[] = [
  ["nothing", undefined, invalid("options")],
  ["no rule", { every }, invalid("options")],
  ["no time between rounds", { keepLast: 1 }, invalid("options.every")],
  ["text as time between rounds", { every: "1h", keepLast: 1 }, invalid("options.every")],
  ["rounds without a pause", { every: 0, keepLast: 1 }, invalid("options.every")],
  ["rounds that never come", { every: Infinity, keepLast: 1 }, invalid("options.every")],
  ["rounds beyond the longest timer", { every: 2 ** 31, keepLast: 1 }, invalid("options.every")],
  ["no checkpoint to keep", { every, keepLast: 0 }, invalid("options.keepLast")],
  ["an age below none", { every, olderThanMs: -1 }, invalid("options.olderThanMs")],
  ["null as the time of idleness", { every, idleForMs: null }, invalid("options.idleForMs")],
  ["a folder's name as archive", { every, keepLast: 1, archive: "/tmp" }, invalid("options.archive")],
  ["no rows a second", { every, keepLast: 1, maxRowsPerSecond: 0 }, invalid("options.maxRowsPerSecond")],
  ["a negative lag", { every, keepLast: 1, maxLagMs: -1 }, invalid("options.maxLagMs")],
  [
    "a controller as signal",
    { every, keepLast: 1, signal: new AbortController() },
    invalid("options.signal"),
  ],
  ["an option of prune", { every, keepLast: 1, dryRun: true }, invalid("options.dryRun")],
  ["a Proxy that throws", throwingProxy(), invalid("options")],
];

/** Calls of `prune`, `startRetention`, `deleteForRuns`, `expand` and `compact` that are refused before anything is sent. */
export const BAD_PRUNES: readonly BadInput[] = [
  ...[...THREADS, ...RETENTION].map(([what, first, error]): BadInput => ({
    what: `prune: ${what}`,
    call: ({ saver }) => saver.prune(first as RetentionOptions),
    error,
  })),
  ...SCHEDULES.map(([what, options, error]): BadInput => ({
    what: `startRetention: ${what}`,
    call: async ({ saver }) => saver.startRetention(options as RetentionSchedule).stop(),
    error,
  })),
  ...STRATEGIES.map(([what, options, error]): BadInput => ({
    what: `prune of threads: ${what}`,
    call: ({ saver }) => saver.prune(["standing"], options as object),
    error,
  })),
  {
    what: "prune: bounds and a strategy",
    call: ({ saver }) => {
      const prune = saver.prune.bind(saver) as (first: unknown, second: unknown) => Promise<unknown>;
      return prune({ keepLast: 1 }, { strategy: "delete" });
    },
    error: invalid("threadIds"),
  },
  ...RUNS.map(([what, runs, error]): BadInput => ({
    what: `deleteForRuns: ${what}`,
    call: ({ saver }) => saver.deleteForRuns(runs as string[]),
    error,
  })),
  {
    what: "deleteForRuns: an unknown option",
    call: ({ saver }) => saver.deleteForRuns(["run"], { keepLast: 1 } as object),
    error: invalid("options.keepLast"),
  },
  {
    what: "deleteForRuns: text as dryRun",
    call: ({ saver }) => saver.deleteForRuns(["run"], { dryRun: "yes" } as object),
    error: invalid("options.dryRun"),
  },
  ...(["expand", "compact"] as const).flatMap((method) =>
    REWRITING.map(([what, options, error]): BadInput => ({
      what: `${method}: ${what}`,
      call: ({ saver }) => saver[method](options as object),
      error,
    })),
  ),
];
