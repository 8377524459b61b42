import { afterLoopTime } from "./timers.js";
import { noop } from "./noop.js";
import { onAbort } from "./on-abort.js";

/** The limits of a wait. */
export interface TimeLimit {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds during which the event loop runs; `undefined` means no limit. After 0 or less the time is over at once. */
  readonly limitMs?: number | undefined;
}

/**
 * Calls `run` with a signal that aborts when the given signal aborts or the time is over. It doesn't use
 * `AbortSignal.timeout` and `AbortSignal.any`: Node may collect their signals before they abort.
 */
export async function withinTime<T>(
  { signal, limitMs }: TimeLimit,
  run: (giveUp: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const giveUp = (reason?: unknown): void => {
    controller.abort(reason);
  };
  let stopTimer = noop;
  if (limitMs !== undefined && limitMs > 0) stopTimer = afterLoopTime(limitMs, giveUp);
  else if (limitMs !== undefined) giveUp();
  const stopListening = onAbort(signal, giveUp);
  try {
    return await run(controller.signal);
  } finally {
    stopTimer();
    stopListening();
  }
}

/**
 * Waits for `work` until `signal` aborts.
 *
 * @throws the signal's reason.
 */
export async function raceAgainst<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = onAbort(signal, reject);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop?.();
  }
}
