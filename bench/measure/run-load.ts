import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type pg from "pg";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { openPool } from "../open-pool.js";
import type { LoadCase, TimedOperation } from "../scenarios/scenario.js";
import { OFFICIAL, OURS, type Saver, UNGROUPED } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { preparedDatabase } from "./contestant.js";
import { type LoadFigures, LoadTally } from "./load-tally.js";
import { type Route, turnsOn } from "./route.js";
import { type Operation, takeTurns } from "./take-turns.js";

/** The savers that a load compares, with the titles of their figures. */
export const LOADED_SAVERS = {
  ours: "this library",
  ungrouped: "`grouping: false`",
  official: "official",
  memory: "`MemorySaver`",
} as const;

/** One of {@link LOADED_SAVERS}. */
export type SaverId = keyof typeof LOADED_SAVERS;

type PerSaver<T> = Readonly<Record<SaverId, T>>;

function perSaver<T>(make: (id: SaverId) => T): PerSaver<T> {
  return {
    ours: make("ours"),
    ungrouped: make("ungrouped"),
    official: make("official"),
    memory: make("memory"),
  };
}

/** The result of many concurrent threads. */
export interface LoadResult {
  readonly name: string;
  readonly threads: number;
  /** The size of the pool. */
  readonly connections: number;
  /** The distance between client and server, one way. 0 without a proxy. */
  readonly latencyMs: number;
  readonly figures: PerSaver<LoadFigures>;
  /** Our steps per second divided by those of the official saver. */
  readonly ratio: number;
}

interface Loaded {
  readonly open: (pool: pg.Pool) => Saver;
  readonly database: BenchDatabase;
  /** The next step of each thread. */
  readonly threads: readonly TimedOperation[];
}

/** Loads the savers with many concurrent threads, slice by slice in turns, over one route after the other. */
export async function runLoad(
  load: LoadCase,
  server: BenchServer,
  routes: readonly Route[],
): Promise<LoadResult[]> {
  const inUse: BenchDatabase[] = [];
  const begun = async (open: Loaded["open"]): Promise<Loaded> => {
    const loaded = await begin(open, load, server);
    inUse.push(loaded.database);
    return loaded;
  };
  try {
    const databases = {
      ours: await begun(OURS.open),
      ungrouped: await begun(UNGROUPED.open),
      official: await begun(OFFICIAL.open),
    };
    const results = [];
    for (const route of routes) {
      // A new one, since it keeps all that was stored.
      const memory = Object.assign(new MemorySaver(), { setup: () => Promise.resolve() });
      results.push(await runOver(route, load, { ...databases, memory: await begun(() => memory) }));
    }
    return results;
  } finally {
    for (const database of inUse) await database.giveBack();
  }
}

async function begin(open: Loaded["open"], load: LoadCase, server: BenchServer): Promise<Loaded> {
  const { database, prepared: threads } = await preparedDatabase(server, (url) =>
    withSaver({ open }, url, (saver) =>
      Promise.all(Array.from({ length: load.threads }, () => load.begin(saver))),
    ),
  );
  return { open, database, threads };
}

async function runOver(
  route: Route,
  { name, threads, connections, steps, slices }: LoadCase,
  loaded: PerSaver<Loaded>,
): Promise<LoadResult> {
  const started = perSaver((id) => start(loaded[id], route, connections));
  const inTurns = async (rounds: number): Promise<PerSaver<LoadTally>> => {
    const tallies = perSaver(() => new LoadTally());
    const slice = (id: SaverId) => () => tallies[id].slice(started[id].threads, steps);
    const { memory, ...inDatabases } = perSaver(slice);
    await takeTurns(Object.values(inDatabases), rounds);
    // Last, because collecting the garbage beside what it keeps delays all savers of the process.
    await takeTurns([memory], rounds);
    return tallies;
  };
  try {
    const { warmUps, rounds } = turnsOn(route, slices);
    await inTurns(warmUps);
    const tallies = await inTurns(rounds);
    const figures = perSaver((id) => tallies[id].figures());
    const ratio = figures.ours.perSecond / figures.official.perSecond;
    return { name, threads, connections, latencyMs: route.latencyMs, figures, ratio };
  } finally {
    for (const { pool } of Object.values(started)) await pool.end();
  }
}

function start({ open, database, threads }: Loaded, route: Route, connections: number) {
  const pool = openPool(route.via(database.source), connections);
  const saver = open(pool);
  return {
    pool,
    threads: threads.map(
      (step): Operation =>
        () =>
          step(saver)(),
    ),
  };
}
