import type { BenchServer } from "../bench-server.js";
import { type Owner, overPool } from "../measure/contestant.js";
import { type Route, turnsOn } from "../measure/route.js";
import type { TimedCase } from "../scenarios/scenario.js";
import { recordCase } from "./record-case.js";
import { replay } from "./recorded-query.js";

/**
 * Adds the floor to a case: the same statements with the same parameters as our saver, sent as prepared statements by
 * `pg` alone. The difference is encoding, decoding, checks and Kysely.
 */
export async function enterFloor(
  timed: TimedCase,
  server: BenchServer,
  routes: readonly Route[],
): Promise<Owner> {
  const { runs, database } = await recordCase(timed, server, runsOver(routes, timed.rounds));
  const left = runs.values();
  return overPool("floor", database, (pool) => () => {
    const { value: run } = left.next();
    if (run === undefined) throw new Error(`${timed.name}: fewer runs were recorded than are replayed`);
    return () => replay(pool, run);
  });
}

/** Adds one contestant on each route whose statements are counted. */
function runsOver(routes: readonly Route[], rounds: number): number {
  return routes
    .map((route) => turnsOn(route, rounds))
    .reduce((sum, turns) => sum + turns.warmUps + turns.rounds + 1, 0);
}
