import { DatabaseError } from "../../errors/index.js";
import type { RetriedAttempt } from "../../telemetry/observed-call.js";
import type { CallProgress } from "../../telemetry/running-calls.js";
import { retry } from "../async/retry.js";
import { withinTime } from "../async/within-time.js";
import { throwIfAborted } from "./cancellation.js";
import { toDatabaseError } from "../to-database-error.js";

/** How transient faults are retried. */
export interface RetryOptions {
  /**
   * No attempt starts later than this after the first failure, in milliseconds, without the time while the process is frozen or busy.
   * Default 15,000.
   */
  readonly maxElapsedMs?: number | undefined;
  /** The pause after the first failure, in milliseconds; it doubles with each, with jitter. Default 25. */
  readonly minDelayMs?: number | undefined;
  /** The longest pause between two attempts, in milliseconds. Default 1,000. */
  readonly maxDelayMs?: number | undefined;
}

/** Options of one run, in addition to the saver's. */
export interface RetryRun {
  /** Ends the pauses between attempts too. */
  readonly signal?: AbortSignal | undefined;
  /** Its `retrying` is called before each retry. */
  readonly observer?: { retrying(attempt: RetriedAttempt): void } | undefined;
  /** Makes the error of the first attempt more precise, so that a fault that will last is not retried. */
  readonly explain?: ((failure: Error) => Promise<Error>) | undefined;
  /** Told what the attempts wait for. */
  readonly progress?: CallProgress | undefined;
}

/**
 * Calls `attempt`, and retries it while it fails with a transient fault: connection lost, server starting,
 * deadlock. Only for operations that may run twice, as every statement of this library may.
 *
 * @throws DatabaseError of the last attempt, with the driver's error as its cause.
 * @throws AbortError when the signal of the run has been aborted.
 */
export async function retryTransient<T>(
  attempt: () => Promise<T>,
  options: RetryOptions | false,
  run: RetryRun = {},
): Promise<T> {
  throwIfAborted(run.signal);
  run.progress?.waitsFor("database");
  try {
    return await attempt();
  } catch (error) {
    const known = toDatabaseError(error);
    const failure = (await run.explain?.(known)) ?? known;
    if (options === false || !isTransient(failure)) throw failure;
    return retryAfter(failure, attempt, { ...options, ...run });
  }
}

/** Retries after the first attempt has failed, from which on the time counts. */
function retryAfter<T>(
  failure: Error,
  attempt: () => Promise<T>,
  options: RetryOptions & RetryRun,
): Promise<T> {
  const { maxElapsedMs = 15_000, minDelayMs = 25, maxDelayMs = 1_000, signal, observer, progress } = options;
  let last = { failure, at: performance.now() };
  progress?.waitsFor("retry");
  const again = async (count: number): Promise<T> => {
    observer?.retrying({ failure: last.failure, attempt: count, delayMs: performance.now() - last.at });
    progress?.waitsFor("database");
    try {
      return await attempt();
    } catch (error) {
      throwIfAborted(signal);
      progress?.waitsFor("retry");
      last = { failure: toDatabaseError(error), at: performance.now() };
      throw last.failure;
    }
  };
  return withinTime({ limitMs: maxElapsedMs }, (over) =>
    retry(again, {
      // The jitter lengthens a pause: the caller gave the shortest one.
      pauseMs: (round) => Math.min(maxDelayMs, minDelayMs * 2 ** round * (1 + Math.random())),
      over,
      signal,
      afterError: isTransient,
      hasFailed: true,
    }),
  );
}

/** Whether the same operation may succeed later. */
export function isTransient(error: unknown): boolean {
  return error instanceof DatabaseError && error.transient;
}
