import { throwIfAborted } from "../statements/cancellation.js";
import { onAbort } from "./on-abort.js";
import { unref } from "./timers.js";

/** Returns the pause before a retry in milliseconds. Retries are counted from 0. */
export type PauseMs = (retry: number) => number;

/** How an operation is repeated. */
export interface RetryPlan<T> {
  readonly pauseMs: PauseMs;
  /** Aborts when the time for attempts is over: see `withinTime`. The last one starts then. Default: no limit. */
  readonly over?: AbortSignal | undefined;
  /** Ends the pauses. */
  readonly signal?: AbortSignal | undefined;
  /** Whether an attempt that failed is followed by another. Attempts are counted from 1. Default: never. */
  readonly afterError?: (error: unknown, attempt: number) => boolean;
  /** Whether an attempt with this result is followed by another. Default: never. */
  readonly afterResult?: (result: T) => boolean;
  /** Whether the first attempt has failed already, so that the operation begins with a pause and the second one. Default: false. */
  readonly hasFailed?: boolean;
}

/**
 * Returns pauses that double up to `longestMs`. Each is shortened by up to half of it at random, so that callers that start
 * together don't keep retrying together.
 */
export function growingPauses(firstMs: number, longestMs: number): PauseMs {
  return (retry) => Math.min(longestMs, firstMs * 2 ** retry) * (0.5 + Math.random() / 2);
}

/**
 * Repeats an operation until no other attempt should follow, or the time is over. Then it returns or throws what the last
 * attempt did.
 *
 * @param attempt - Gets its number, counted from 1.
 * @throws AbortError when the signal has been aborted before a retry.
 */
export async function retry<T>(
  attempt: (count: number) => Promise<T>,
  { pauseMs, over, signal, afterError, afterResult, hasFailed = false }: RetryPlan<T>,
): Promise<T> {
  // Not by p-retry: it repeats only what throws, and loses the result of an attempt during which the signal aborts.
  for (let count = hasFailed ? 2 : 1; ; count++) {
    if (count > 1) {
      await pause(pauseMs(count - 2), { signals: [signal, over] });
      throwIfAborted(signal);
    }
    try {
      const result = await attempt(count);
      if (afterResult?.(result) !== true || over?.aborted === true) return result;
    } catch (error) {
      if (afterError?.(error, count) !== true || over?.aborted === true) throw error;
    }
  }
}

/** What ends a pause early, and whether somebody waits for it. */
export interface PauseOptions {
  readonly signals: readonly (AbortSignal | undefined)[];
  /** Whether the process may end meanwhile. Default: false. */
  readonly isBackground?: boolean;
}

/** Resolves after a time, or as soon as one of the signals aborts. It leaves no timer and no listener. */
export async function pause(ms: number, { signals, isBackground = false }: PauseOptions): Promise<void> {
  if (signals.some((signal) => signal?.aborted === true)) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, ms);
    if (isBackground) unref(timer);
    const stops = signals.map((signal) => onAbort(signal, end));
    function end(): void {
      clearTimeout(timer);
      for (const stop of stops) stop();
      resolve();
    }
  });
}
