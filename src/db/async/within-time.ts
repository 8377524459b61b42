import { onAbort } from "./on-abort.js";

/** The limits of a wait. */
export interface TimeLimit {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds; `undefined` means no limit. */
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
  const timer = limitMs === undefined ? undefined : setTimeout(giveUp, limitMs);
  const stopListening = onAbort(signal, giveUp);
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}
