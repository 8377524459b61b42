import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { openPool } from "../open-pool.js";
import type { LoadCase, TimedOperation } from "../scenarios/scenario.js";
import { ofEach, type PerSubject, type Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { preparedDatabase } from "./contestant.js";
import { type LoadFigures, LoadTally } from "./load-tally.js";
import { type Route, turnsOn } from "./route.js";
import { type Operation, takeTurns } from "./take-turns.js";

/** The result of many concurrent threads. */
export interface LoadResult {
  readonly name: string;
  readonly threads: number;
  /** The distance between client and server, one way. 0 without a proxy. */
  readonly latencyMs: number;
  readonly figures: PerSubject<LoadFigures>;
  /** Our steps per second divided by those of the official saver. */
  readonly ratio: number;
}

interface Loaded {
  readonly subject: Subject;
  readonly database: BenchDatabase;
  /** The next step of each thread. */
  readonly threads: readonly TimedOperation[];
}

/** Loads both savers with many concurrent threads, slice by slice in turns, over one route after the other. */
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

async function runOver(
  route: Route,
  { name, threads, steps, slices }: LoadCase,
  { ours, official }: PerSubject<Loaded>,
): Promise<LoadResult> {
  const a = start(ours, route);
  const b = start(official, route);
  try {
    const { warmUps, rounds } = turnsOn(route, slices);
    const inTurns = async (tallies: PerSubject<LoadTally>, times: number) => {
      const ofOurs = () => tallies.ours.slice(a.threads, steps);
      const ofOfficial = () => tallies.official.slice(b.threads, steps);
      await takeTurns([ofOurs, ofOfficial], times);
    };
    await inTurns({ ours: new LoadTally(), official: new LoadTally() }, warmUps);
    const tallies = { ours: new LoadTally(), official: new LoadTally() };
    await inTurns(tallies, rounds);
    const figures = { ours: tallies.ours.figures(), official: tallies.official.figures() };
    const ratio = figures.ours.perSecond / figures.official.perSecond;
    return { name, threads, latencyMs: route.latencyMs, figures, ratio };
  } finally {
    await a.pool.end();
    await b.pool.end();
  }
}

function start({ subject, database, threads }: Loaded, route: Route) {
  const pool = openPool(route.via(database.source));
  const saver = subject.open(pool);
  return {
    pool,
    threads: threads.map(
      (step): Operation =>
        () =>
          step(saver)(),
    ),
  };
}
