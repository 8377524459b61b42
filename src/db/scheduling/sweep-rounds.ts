import type { CallContext } from "../call-context.js";
import { gentleRound, type OnDeleted } from "./gentle-round.js";
import type { LoadLimits } from "./pace.js";
import { Rounds } from "./rounds.js";

const MINUTE_MS = 60_000;

/** What has expired is never found, so that nothing depends on when it is deleted. */
const LIMITS: LoadLimits = { maxRowsPerSecond: 10_000, maxLagMs: 10_000 };

/** Sweeps of what has expired. */
export interface Sweeps<Call extends CallContext> {
  /** The name of the operation, such as `store.sweep`. */
  readonly task: string;
  /** The context that the calls start from. */
  readonly call: Call;
  /** How often, in minutes. `false`: only on demand. */
  readonly everyMinutes: number | false;
  /** Runs one call, observed. */
  readonly runCall: (work: (call: Call) => Promise<void>) => Promise<void>;
  /** Deletes what has expired, in bounded transactions, and no more than one process at a time. */
  readonly sweep: (call: Call, onDeleted: OnDeleted) => Promise<unknown>;
}

/** Returns the rounds of sweeps, where there are any. */
export function sweepRounds<Call extends CallContext>({
  task,
  call: { database },
  everyMinutes,
  runCall,
  sweep,
}: Sweeps<Call>): Rounds | undefined {
  // A transaction ends long before the first sweep.
  if (everyMinutes === false || database.kysely.isTransaction) return undefined;
  return new Rounds({
    everyMs: everyMinutes * MINUTE_MS,
    run: (stopping) => runCall((call) => gentleRound(call, { task, limits: LIMITS, stopping }, sweep)),
  });
}
