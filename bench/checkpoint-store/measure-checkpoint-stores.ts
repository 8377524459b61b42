import type { BenchServer } from "../bench-server.js";
import { DIRECT, turnsOn } from "../measure/route.js";
import { type Summary, summarize } from "../measure/statistics.js";
import { takeTurns, timed } from "../measure/take-turns.js";
import type { Size } from "../scenarios/scenario.js";
import type { BenchBackend } from "./backends.js";
import { type Steps, stepOf } from "./steps.js";

/** The times of one operation on one backend. */
export interface CheckpointStoreResult {
  readonly backend: string;
  readonly operation: string;
  readonly ours: Summary;
  readonly raw: Summary;
  /** The median of ours divided by that of the driver. */
  readonly ratio: number;
}

const LISTED = "listed";
const LIST = 100;
const CONCURRENT = 64;

interface Operation {
  readonly name: string;
  readonly rounds: number;
  /** Returns the nth run of a store. */
  readonly run: (steps: Steps, nth: number) => () => Promise<unknown>;
}

const OPERATIONS: readonly Operation[] = [
  {
    name: "load",
    rounds: 400,
    run: (steps, nth) => () => steps.load(stepOf(LISTED, nth % LIST).id),
  },
  {
    name: `list of ${LIST}`,
    rounds: 60,
    run: (steps) => async () => {
      if ((await steps.list(LISTED)).length !== LIST) throw new Error("steps were not found");
    },
  },
  { name: "latest", rounds: 400, run: (steps) => () => steps.latest(LISTED) },
  {
    name: "save",
    rounds: 400,
    run: (steps, nth) => {
      const step = stepOf("saved", nth);
      return () => steps.save(step);
    },
  },
  {
    name: `${CONCURRENT} concurrent saves`,
    rounds: 40,
    run: (steps, nth) => {
      const all = Array.from({ length: CONCURRENT }, (_, n) => stepOf("crowd", nth * CONCURRENT + n));
      return () => Promise.all(all.map((step) => steps.save(step)));
    },
  },
];

/** Runs all operations of a backend, the store and the driver alone in turns. */
export async function measureCheckpointStore(
  { name, open }: BenchBackend,
  server: BenchServer,
  size: Size,
): Promise<CheckpointStoreResult[]> {
  const opened = await open(server, size);
  if (typeof opened === "string") {
    process.stderr.write(`  left out: ${opened}\n`);
    return [];
  }
  const { ours, raw, end } = opened;
  try {
    for (const steps of [ours, raw]) {
      await steps.setup();
      for (let n = 0; n < LIST; n++) await steps.save(stepOf(LISTED, n));
    }
    const results = [];
    for (const operation of OPERATIONS) {
      const rounds = size.quick ? 2 : operation.rounds;
      results.push({
        backend: name,
        operation: operation.name,
        ...(await race(operation, ours, raw, rounds)),
      });
    }
    return results;
  } finally {
    await ours.end();
    await raw.end();
    await end();
  }
}

async function race({ run }: Operation, ours: Steps, raw: Steps, rounds: number) {
  const { warmUps } = turnsOn(DIRECT, rounds);
  const runners = [ours, raw].map((steps) => ({ steps, times: [] as number[], nth: 0 }));
  const operations = runners.map((runner) => () => timed(run(runner.steps, runner.nth++)));
  await takeTurns(operations, warmUps);
  await takeTurns(
    operations.map((operation, index) => async () => runners[index]?.times.push(await operation())),
    rounds,
  );
  const [oursTimes = [], rawTimes = []] = runners.map(({ times }) => times);
  const summaries = { ours: summarize(oursTimes), raw: summarize(rawTimes) };
  return { ...summaries, ratio: summaries.ours.medianMs / summaries.raw.medianMs };
}
