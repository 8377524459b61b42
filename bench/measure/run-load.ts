import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { openPool } from "../open-pool.js";
import type { LoadCase, TimedOperation } from "../scenarios/scenario.js";
import { ofEach, type PerSubject, type Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { preparedDatabase } from "./contestant.js";
import { type Route, turnsOn } from "./route.js";
import { quantile } from "./statistics.js";
import { type Operation, takeTurns, timed } from "./take-turns.js";

/** What came out for one saver. */
export interface LoadFigures {
  /** The median of the slices, and how far they spread. */
  readonly perSecond: number;
  readonly p5PerSecond: number;
  readonly p95PerSecond: number;
  /** How long a step took that succeeded, waiting for a connection included. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly steps: number;
  /** How many of the steps failed. */
  readonly errors: number;
}

/** What came out of many threads at once. */
export interface LoadResult {
  readonly name: string;
  readonly threads: number;
  /** How far client and server are apart, one way; 0 without a proxy. */
  readonly latencyMs: number;
  readonly figures: PerSubject<LoadFigures>;
  /** Steps a second of ours by those of the official saver. */
  readonly ratio: number;
}

interface Loaded {
  readonly subject: Subject;
  readonly database: BenchDatabase;
  /** The next step of each thread. */
  readonly threads: readonly TimedOperation[];
}

interface Tally {
  readonly perSecond: number[];
  readonly times: number[];
  errors: number;
}

/** Loads both savers with many threads at once, in slices by turns, over one route after the other. */
export async function runLoad(
  load: LoadCase,
  server: BenchServer,
  routes: readonly Route[],
): Promise<LoadResult[]> {
  const loaded: Loaded[] = [];
  try {
    const both = await ofEach(async (subject) => {
      const one = await begin(subject, load, server);
      loaded.push(one);
      return one;
    });
    const results = [];
    for (const route of routes) results.push(await runOver(route, load, both));
    return results;
  } finally {
    for (const { database } of loaded) await database.giveBack();
  }
}

async function begin(subject: Subject, load: LoadCase, server: BenchServer): Promise<Loaded> {
  const { database, prepared: threads } = await preparedDatabase(server, (url) =>
    withSaver(subject, url, (saver) =>
      Promise.all(Array.from({ length: load.threads }, () => load.begin(saver))),
    ),
  );
  return { subject, database, threads };
}

async function runOver(route: Route, load: LoadCase, { ours, official }: PerSubject<Loaded>) {
  const a = startSlices(ours, load, route);
  const b = startSlices(official, load, route);
  try {
    const { warmUps, rounds } = turnsOn(route, load.slices);
    await takeTurns([a.slice(newTally()), b.slice(newTally())], warmUps);
    const tallies = { ours: newTally(), official: newTally() };
    await takeTurns([a.slice(tallies.ours), b.slice(tallies.official)], rounds);
    const figures = { ours: summarizeTally(tallies.ours), official: summarizeTally(tallies.official) };
    const ratio = figures.ours.perSecond / figures.official.perSecond;
    return { name: load.name, threads: load.threads, latencyMs: route.latencyMs, figures, ratio };
  } finally {
    await a.end();
    await b.end();
  }
}

function startSlices({ subject, database, threads }: Loaded, { steps }: LoadCase, route: Route) {
  const pool = openPool(route.via(database.source));
  const saver = subject.open(pool);
  return {
    slice:
      (tally: Tally): Operation =>
      () =>
        slice(
          threads.map((step) => () => step(saver)),
          steps,
          tally,
        ),
    end: () => pool.end(),
  };
}

async function slice(threads: readonly Operation[], steps: number, tally: Tally): Promise<void> {
  const before = tally.times.length;
  const ms = await timed(() => Promise.all(threads.map((step) => run(step, steps, tally))));
  tally.perSecond.push(((tally.times.length - before) / ms) * 1_000);
}

async function run(step: Operation, steps: number, tally: Tally): Promise<void> {
  for (let n = 0; n < steps; n++) {
    try {
      tally.times.push(await timed(step));
    } catch {
      tally.errors++;
    }
  }
}

function newTally(): Tally {
  return { perSecond: [], times: [], errors: 0 };
}

function summarizeTally({ perSecond, times, errors }: Tally): LoadFigures {
  const rates = perSecond.toSorted((a, b) => a - b);
  const sorted = times.toSorted((a, b) => a - b);
  return {
    perSecond: quantile(rates, 0.5),
    p5PerSecond: quantile(rates, 0.05),
    p95PerSecond: quantile(rates, 0.95),
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    steps: times.length + errors,
    errors,
  };
}
