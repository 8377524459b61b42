import { raceAgainst, withinTime } from "../db/async/within-time.js";
import { checkCall, type ObservableCall } from "../db/run-call.js";
import { abortErrorOf } from "../db/statements/cancellation.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { CheckpointError, ConnectionError, DatabaseError } from "../errors/index.js";
import { parseCallOptions } from "../parsing/parse-call-options.js";
import type { ObservedOperation } from "../telemetry/observed-operation.js";
import type { Health } from "./health.js";

/** How long to wait without a signal from the caller, in milliseconds. */
const DEFAULT_BOUND_MS = 2_000;
/** How many calls that wait too long are named. */
const MOST_WAITING = 20;

/** What a check finds out. */
export type HealthFindings = { -readonly [Name in keyof Health]?: Health[Name] };

/** How something is checked. */
export interface HealthCheck {
  /** Opens what takes long to open, outside of the time limit. */
  readonly open?: (signal: AbortSignal | undefined) => Promise<void>;
  /** Rejects where nothing can be stored. Puts what it finds out beside that into `findings`. */
  readonly check: (signal: AbortSignal, findings: HealthFindings) => Promise<void>;
}

/**
 * Runs a check within its time limit, and reports what it finds. It never rejects.
 *
 * @param operation - The operation, as metrics name it.
 * @param options - What the caller passed: its signal.
 */
export async function reportHealth(
  base: ObservableCall,
  operation: ObservedOperation,
  options: unknown,
  { open, check }: HealthCheck,
): Promise<Health> {
  let began = performance.now();
  const findings: HealthFindings = {};
  let error: CheckpointError | undefined;
  try {
    const given = checkCall(base, operation, () => parseCallOptions(options));
    await open?.(given);
    began = performance.now();
    const limitMs = given === undefined ? DEFAULT_BOUND_MS : undefined;
    await withinTime({ signal: given, limitMs }, async (signal) => {
      // Returns in time even while the server is asked to cancel the statement.
      await raceAgainst(signal, check(signal, findings)).catch((reason: unknown) => {
        if (!signal.aborted) throw reason;
        throw given === undefined ? noAnswer() : abortErrorOf(given);
      });
    });
  } catch (reason) {
    error = toCheckpointError(reason);
  }
  base.telemetry?.health(operation, error === undefined);
  return {
    ok: error === undefined,
    latencyMs: performance.now() - began,
    ...findings,
    waiting: base.telemetry?.waiting(MOST_WAITING) ?? [],
    ...(error && { error }),
  };
}

function noAnswer(): ConnectionError {
  return new ConnectionError(`the database did not answer within ${DEFAULT_BOUND_MS} ms`);
}

function toCheckpointError(reason: unknown): CheckpointError {
  const error = toDatabaseError(reason);
  return error instanceof CheckpointError ? error : new DatabaseError(error.message, { cause: error });
}
