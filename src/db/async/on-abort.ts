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
