import { describeServerVersion } from "../../test-support/test-server.js";
import { connectToCitus } from "../../test-support/citus-target.js";
import type { PostgresServer } from "../../test-support/postgres-target.js";
import { LoadTally, type LoadFigures } from "../measure/load-tally.js";
import { type Operation, takeTurns } from "../measure/take-turns.js";
import { DEFAULT_CONNECTIONS } from "../open-pool.js";
import { currentLoad, describeMachine, type Machine } from "../report/results.js";
import { concurrentThreads } from "../scenarios/concurrent-threads.js";
import type { LoadCase } from "../scenarios/scenario.js";
import { OURS, versionOf } from "../subjects.js";
import { openSide, type Side, type SideId, SIDES } from "./sides.js";

/** The steps a second of one number of concurrent threads. */
export interface CitusLoad {
  readonly threads: number;
  readonly figures: Readonly<Record<SideId, LoadFigures>>;
}

/** What a run has measured. */
export interface CitusResults {
  readonly finishedAt: string;
  readonly version: string;
  readonly machine: Machine;
  /** The number of nodes with shards, and of shards. */
  readonly cluster: { readonly nodes: number; readonly shards: number };
  readonly loads: readonly CitusLoad[];
}

const THREADS = [1, 16, 64];
/** A slice is shorter than on one server, where a step takes a fraction of the time. */
const STEPS = 128;

/** Measures how many super-steps a second each side stores. All sides take turns, slice by slice. */
export async function measureCitus(url: string, size: { readonly quick: boolean }): Promise<CitusResults> {
  const load = currentLoad();
  const server = connectToCitus(url, { distributes: false });
  const sides: Side[] = [];
  try {
    for (const id of Object.keys(SIDES) as SideId[]) sides.push(await openSide(id, server));
    const loads: CitusLoad[] = [];
    for (const one of concurrentThreads.cases(size)) {
      if (one.connections !== DEFAULT_CONNECTIONS || !THREADS.includes(one.threads)) continue;
      process.stderr.write(`… ${one.name}\n`);
      loads.push({ threads: one.threads, figures: await runLoad(withSlices(one, size), sides) });
    }
    return {
      finishedAt: new Date().toISOString(),
      version: await versionOf(OURS),
      machine: describeMachine(await describeServerVersion(url), load),
      cluster: await clusterOf(sides),
      loads,
    };
  } finally {
    await endAll(sides, server);
  }
}

function withSlices(one: LoadCase, { quick }: { readonly quick: boolean }): LoadCase {
  // A multiple of the orders in which the sides take turns.
  const slices = 2 * Object.keys(SIDES).length;
  return quick ? one : { ...one, steps: Math.min(25, STEPS / one.threads), slices };
}

async function runLoad(load: LoadCase, sides: readonly Side[]): Promise<CitusLoad["figures"]> {
  const { steps, slices } = load;
  const started = await Promise.all(
    sides.map(async (side) => ({ side, threads: await beginThreads(side, load) })),
  );
  const inTurns = async (rounds: number): Promise<CitusLoad["figures"]> => {
    const tallies = started.map(({ side, threads: running }) => ({
      id: side.id,
      tally: new LoadTally(),
      running,
    }));
    await takeTurns(
      tallies.map(
        ({ tally, running }) =>
          () =>
            tally.slice(running, steps),
      ),
      rounds,
    );
    return Object.fromEntries(tallies.map(({ id, tally }) => [id, tally.figures()])) as Record<
      SideId,
      LoadFigures
    >;
  };
  // The first slice fills the caches of prepared statements and of connections to the nodes.
  await inTurns(1);
  return inTurns(slices);
}

function beginThreads({ savers }: Side, load: LoadCase): Promise<Operation[]> {
  return Promise.all(
    Array.from({ length: load.threads }, async (_, index) => {
      const saver = savers[index % savers.length];
      if (saver === undefined) throw new Error("a side has no saver");
      return (await load.begin(saver))(saver);
    }),
  );
}

async function clusterOf(sides: readonly Side[]): Promise<CitusResults["cluster"]> {
  const [row] =
    (await sides.find(({ id }) => id === "rows")?.database.query<CitusResults["cluster"]>(`
    select count(distinct groupid)::integer as nodes, count(*)::integer as shards
    from pg_dist_placement join pg_dist_shard using (shardid) where logicalrelid = 'checkpoints'::regclass`)) ??
    [];
  if (row === undefined) throw new Error("no table is distributed");
  return row;
}

async function endAll(sides: readonly Side[], server: PostgresServer): Promise<void> {
  for (const side of sides) await side.end();
  await server.close?.();
}
