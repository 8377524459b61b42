import type { ObservedOperation } from "../../telemetry/running-calls.js";
import type { CallContext } from "../call-context.js";
import { runCall } from "../run-call.js";
import { gentleRound, type OnDeleted } from "./gentle-round.js";
import type { LoadLimits } from "./pace.js";
import { Rounds } from "./rounds.js";

const MINUTE_MS = 60_000;

/** What has expired is never found, so that nothing depends on when it is deleted. */
const LIMITS: LoadLimits = { maxRowsPerSecond: 10_000, maxLagMs: 10_000 };

/** Sweeps of what has expired. */
export interface Sweeps<Call extends CallContext> {
  readonly operation: ObservedOperation;
  /** The context that the calls start from. */
  readonly call: Call;
  /** How often, in minutes. `false`: only on demand. */
  readonly everyMinutes: number | false;
  /** Deletes what has expired, in bounded transactions, and no more than one process at a time. */
  readonly sweep: (call: Call, onDeleted: OnDeleted) => Promise<unknown>;
}

/** Returns the rounds of sweeps, where there are any. */
export function sweepRounds<Call extends CallContext>({
  operation,
  call,
  everyMinutes,
  sweep,
}: Sweeps<Call>): Rounds | undefined {
  // A transaction ends long before the first sweep.
  if (everyMinutes === false || call.database.kysely.isTransaction) return undefined;
  return new Rounds({
    task: operation.name,
    everyMs: everyMinutes * MINUTE_MS,
    run: (stopping) =>
      runCall(call, operation, (observed) =>
        gentleRound(observed, { task: operation.name, limits: LIMITS, stopping }, sweep),
      ),
  });
}
