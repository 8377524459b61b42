import type { Measured } from "./report/results.js";
import { START_AMOUNTS } from "./scenarios/start.js";
import { timesAsFastAsLogged } from "./scenarios/cache.js";
import {
  type Bound,
  highestPeak,
  numberOf,
  ofCase,
  ofGrowth,
  ofLoad,
  ofMemory,
  ofRecall,
  ofStart,
  ofStatements,
  percentOfErrors,
  type Target,
  timesAsFast,
} from "./target-kinds.js";

/**
 * A target and the measured figure. A missed target is reported and is never a failure, because the machine matters
 * too.
 */
export interface TargetResult {
  readonly name: string;
  /** The distance of the server, one way. Absent where no server is involved. */
  readonly latencyMs?: number;
  readonly bound: Bound;
  readonly wanted: number;
  readonly reached: number;
  readonly met: boolean;
}

const PUT = "put, 5 channels × 2 kB";
const GET_TUPLE = "getTuple, 5 channels × 2 kB";
const LOAD_OF_16 = "super-steps, 16 threads at once";
const LOAD = "super-steps, 64 threads at once";
const MANY = "super-steps, 256 threads at once";
const STORE_BATCH = "store, batch of 100 puts";
const STORE_CONCURRENT = "store, 10 concurrent puts";
// LangGraph sets one entry at a time.
const CACHE_SET = timesAsFastAsLogged("set of 1 × 2 kB");
const RUN = "a run of LangGraph, 50 super-steps";

/** The targets for the speed against the official saver, the distance from the floor, and the promises to services. */
export const TARGETS: readonly Target[] = [
  timesAsFast(PUT, { 0: 3, 1: 6 }),
  timesAsFast("put, 20 channels × 2 kB", { 1: 16 }),
  ...["put, 1 channel × 2 kB", "putWrites, 1 write × 2 kB"].map((name) => timesAsFast(name, { 0: 1.4 })),
  timesAsFast("putWrites, 5 writes × 2 kB", { 0: 3, 1: 5 }),
  timesAsFast(GET_TUPLE, { 0: 6, 1: 1.2 }),
  timesAsFast("getTuple, 250 messages × 1 kB", { 0: 5, 1: 4 }),
  timesAsFast("list, first 1 of 400 sharing 200 kB (no limit)", { 0: 500, 1: 500 }),
  timesAsFast("list, first 100 of 400 sharing 200 kB (limit 100)", { 0: 50, 1: 50 }),
  timesAsFast("getDeltaChannelHistory, 1000 steps", { 0: 60, 1: 200 }),
  timesAsFast(RUN, { 0: 1.5 }),
  ...["flat graph: run 1", "flat graph: run 2"].map((name) =>
    timesAsFast(`fresh saver, ${name}`, { 0: 1.2 }),
  ),
  ...["nested graph: run 1", "nested graph: run 2"].map((name) =>
    timesAsFast(`fresh saver, ${name}`, { 0: 1.3 }),
  ),
  ...Object.entries({ put: 1.5, getTuple: 1.5, "store put": 1, "store delete": 1 }).flatMap(([work, times]) =>
    ["calls 3 to 100", "a call every 200 ms"].map((when) =>
      timesAsFast(`cold: ${work}, ${when}`, { 0: times }),
    ),
  ),
  timesAsFast("cold: flat graph, the first run", { 0: 1.2 }),
  ofLoad(LOAD_OF_16, "times as many", "≥", { 0: 2.5 }, ({ ratio }) => ratio),
  ofLoad(LOAD, "times as many", "≥", { 0: 4, 1: 8 }, ({ ratio }) => ratio),
  ofLoad(
    LOAD,
    "p99 by that of the official saver",
    "≤",
    { 0: 0.5, 1: 0.5 },
    ({ figures }) => figures.ours.p99Ms / figures.official.p99Ms,
  ),
  ...[
    "put, 1 channel × 2 kB",
    PUT,
    "putWrites, 1 write × 2 kB",
    "putWrites, 5 writes × 2 kB",
    "getTuple, 1 channel × 2 kB",
    GET_TUPLE,
  ].map((name) => ofCase(name, "by the floor", "≤", { 0: 1.15, 1: 1.15 }, ({ floor }) => floor?.oursToFloor)),
  ofCase(PUT, "ms", "≤", { 0: 10, 1: 10 }, ({ figures }) => figures.ours.medianMs),
  ofCase(GET_TUPLE, "ms", "≤", { 0: 5, 1: 5 }, ({ figures }) => figures.ours.medianMs),
  // A super-step is two operations.
  ofLoad(
    LOAD,
    "operations a second",
    "≥",
    { 0: 1_000, 1: 1_000 },
    ({ figures }) => figures.ours.perSecond * 2,
  ),
  ofLoad(LOAD, "% errors", "≤", { 0: 0.1, 1: 0.1 }, percentOfErrors),
  ofLoad(MANY, "% errors", "≤", { 0: 0, 1: 0 }, percentOfErrors),
  {
    name: START_AMOUNTS.installed,
    bound: "≤",
    wanted: 4,
    reached: ({ amounts }) => numberOf(amounts.find((one) => one.name === START_AMOUNTS.installed)),
  },
  ofStart(START_AMOUNTS.bundle, 1.15),
  ofStart(START_AMOUNTS.imported, 1.1),
  ofStart(START_AMOUNTS.process, 1.1),
  ofStart(START_AMOUNTS.distant, 0.7),
  ofMemory("list() of 1000 × 200 kB", 64),
  ofMemory("list() of 200 × 1 MB", 64),
  ofGrowth(
    "a chat",
    "times the disk of the official saver",
    1 / 50,
    ({ spliced, official }) => spliced.diskMB / official.diskMB,
  ),
  ofGrowth(
    "a chat",
    "times the WAL of the official saver",
    1 / 30,
    ({ spliced, official }) => spliced.walMB / official.walMB,
  ),
  ofGrowth(
    "a chat",
    "times the puts of the official saver",
    1 / 3,
    ({ spliced, official }) => spliced.putsS / official.putsS,
  ),
  ofGrowth(
    "a chat",
    "times the getTuple of whole values",
    1,
    ({ spliced, whole }) => spliced.getTupleMs / whole.getTupleMs,
  ),
  ofGrowth(
    "a chat",
    "times the list of 100 with whole values",
    1 / 10,
    ({ spliced, whole }) => spliced.list100Ms / whole.list100Ms,
  ),
  ofGrowth(
    "a record",
    "times the put without the option",
    1.05,
    ({ spliced, whole }) => spliced.lastPutP50Ms / whole.lastPutP50Ms,
  ),
  ofStatements(STORE_BATCH, { 0: 1, 1: 1 }),
  timesAsFast(STORE_BATCH, { 0: 15, 1: 15 }),
  timesAsFast("store, batch of 100 gets", { 0: 15 }),
  ofStatements(STORE_CONCURRENT, { 0: 2 }),
  timesAsFast(STORE_CONCURRENT, { 0: 3 }),
  timesAsFast("store, search one user, no filter", { 0: 20 }),
  timesAsFast("store, search everything, ref = (1 item)", { 0: 50 }),
  timesAsFast("store, search everything, no filter", { 0: 30 }),
  timesAsFast("store, search everything, from the middle on", { 0: 20 }),
  timesAsFast("store, listNamespaces, to depth 2", { 0: 3 }),
  timesAsFast("store, search everything, a word of about ten items", { 0: 100 }),
  ...Object.entries({ "no filter": 10, "kind = (5 %)": 3, "one namespace (1 %)": 3 }).flatMap(
    ([scope, times]) => {
      const name = `store, search of 10,000 vectors, ${scope}`;
      return [timesAsFast(name, { 0: times }), ofStatements(name, { 0: 2 }), ofRecall(name, 0.98)];
    },
  ),
  ofStatements("store, put of an item with a vector, beside 10,000", { 0: 3 }),
  ...["store, get", "store, put, same key", "store, put, new key", "store, delete"].map((name) =>
    timesAsFast(name, { 0: 1 }),
  ),
  {
    name: CACHE_SET,
    bound: "≥",
    wanted: 5,
    reached: ({ amounts }) => numberOf(amounts.find((one) => one.name === CACHE_SET)),
  },
  {
    name: "memory, the highest peak of all, MB",
    bound: "≤",
    wanted: 512,
    reached: ({ amounts }) => highestPeak(amounts),
  },
];

/** Compares the measured figures with the targets. Figures that were not measured are left out. */
export function judge(measured: Measured): TargetResult[] {
  return TARGETS.flatMap((target) => {
    if (typeof target.wanted === "number") return judgeOne(target, measured, target.wanted);
    return Object.entries(target.wanted).flatMap(([latencyMs, wanted]) =>
      judgeOne(target, measured, wanted, Number(latencyMs)),
    );
  });
}

function judgeOne(target: Target, measured: Measured, wanted: number, latencyMs?: number): TargetResult[] {
  const { name, bound } = target;
  const reached = target.reached(measured, latencyMs ?? 0);
  if (reached === undefined) return [];
  const met = bound === "≥" ? reached >= wanted : reached <= wanted;
  return [{ name, ...(latencyMs !== undefined && { latencyMs }), bound, wanted, reached, met }];
}
