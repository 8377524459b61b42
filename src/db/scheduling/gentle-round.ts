import { joinSignals } from "../async/on-abort.js";
import type { CallContext } from "../call-context.js";
import { sendsWithin } from "../opened-database.js";
import { runStatement } from "../statements/run-statement.js";
import { type Clock, SYSTEM_CLOCK } from "./clock.js";
import { type LoadLimits, Pace } from "./pace.js";
import { replayLag } from "./queries/replay-lag.js";
import { reportHiddenLag, reportRound, reportRoundLag } from "./round-events.js";

/** One round of work that deletes rows. */
export interface GentleRound {
  /** The name of the work, as metrics and logs show it. */
  readonly task: string;
  readonly limits: LoadLimits;
  /** Ends the round after the statement that runs then. The signal of the call ends that as well. */
  readonly stopping: AbortSignal;
  /** Default: the clock of the process. */
  readonly clock?: Clock;
}

/** Counts rows that were deleted. */
export type OnDeleted = (rows: number) => void;

/**
 * Runs a round within the limits of its load, and reports it. Between two statements it waits until the rows that it has deleted
 * are within the limit, and until the replicas have caught up. A transaction that has begun never waits.
 *
 * @param work - Gets the context to use, and counts what it deletes.
 * @returns Normally, if the round was stopped.
 */
export async function gentleRound<Call extends CallContext>(
  call: Call,
  { task, limits, stopping, clock = SYSTEM_CLOCK }: GentleRound,
  work: (call: Call, onDeleted: OnDeleted) => Promise<unknown>,
): Promise<void> {
  const began = clock.now();
  let rows = 0;
  const { signal: ending, release } = joinSignals([stopping, call.signal]);
  const pace = new Pace({
    limits,
    clock,
    ending,
    readLag: () => readLag(call),
    onLag: (state, lagMs) => {
      reportRoundLag(call.telemetry, task, state, lagMs);
    },
  });
  const report = (outcome: "done" | "failed" | "stopped"): void => {
    reportRound(call.telemetry, { task, outcome, rows, seconds: (clock.now() - began) / 1_000 });
  };
  try {
    await work(pacedCall(call, pace), (deleted) => {
      rows += deleted;
      pace.spent(deleted);
    });
    report("done");
  } catch (error) {
    report(stopping.aborted ? "stopped" : "failed");
    if (!stopping.aborted) throw error;
  } finally {
    release();
  }
}

/** Returns the context for a call whose statements and transactions wait for the pace before they begin. */
function pacedCall<Call extends CallContext>(call: Call, pace: Pace): Call {
  const { database } = call;
  return {
    ...call,
    database: {
      ...database,
      get closed() {
        return database.closed;
      },
      ...sendsWithin(database, async (send) => {
        await pace.ready();
        return send();
      }),
    },
  };
}

async function readLag(call: CallContext): Promise<number> {
  if (call.database.maxConnections === "embedded") return 0;
  const [row] = await runStatement(call, replayLag, {});
  if (row?.is_hidden === true) reportHiddenLag(call.telemetry);
  return Number(row?.lag_ms ?? 0);
}
