import { setMaxListeners } from "node:events";
import { noop } from "./noop.js";

/**
 * Calls `listener` with the reason when `signal` aborts, or at once if it has already aborted.
 *
 * @returns A function that removes the listener.
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  if (signal === undefined) return noop;
  const call = (): void => {
    listener(signal.reason);
  };
  if (signal.aborted) {
    call();
    return noop;
  }
  // Any number of calls may share a signal; Node would warn of a leak.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", call, { once: true });
  return () => {
    signal.removeEventListener("abort", call);
  };
}

/** A signal that aborts with the first of several. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** Stops to listen to the others. Call it when what the signal ends has ended. */
  readonly release: () => void;
}

/**
 * Returns a signal that aborts with the first of several, and with its reason. `AbortSignal.any` has nothing to release: Node.js keeps its
 * signal and all who listen to it for as long as one of the others lives.
 */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const ending = new AbortController();
  const stops = signals.map((signal) =>
    onAbort(signal, (reason) => {
      ending.abort(reason);
    }),
  );
  return {
    signal: ending.signal,
    release: () => {
      for (const stop of stops) stop();
    },
  };
}
