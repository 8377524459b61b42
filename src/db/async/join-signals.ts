import { onAbort } from "./on-abort.js";

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
