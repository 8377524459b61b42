import { onAbort } from "./on-abort.js";

/** When something is given up. */
export interface TimeLimit {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds; never if `undefined`. */
  readonly limitMs?: number | undefined;
}

/**
 * Runs with a signal that aborts when the given one does, and when the time is over. Not by `AbortSignal.timeout` and
 * `AbortSignal.any`, whose signals Node may collect before they abort.
 */
export async function withinTime<T>(
  { signal, limitMs }: TimeLimit,
  run: (giveUp: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const giveUp = (reason?: unknown): void => {
    controller.abort(reason);
  };
  const timer = limitMs === undefined ? undefined : setTimeout(giveUp, limitMs);
  const stopListening = onAbort(signal, giveUp);
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}
