import { setMaxListeners } from "node:events";

/**
 * Calls `listener` with the reason when `signal` aborts, at once where it has already.
 *
 * @returns How to stop listening.
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  if (signal === undefined) return nothing;
  const call = (): void => {
    listener(signal.reason);
  };
  if (signal.aborted) {
    call();
    return nothing;
  }
  // Any number of calls may share a signal: Node takes many listeners for a leak.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", call, { once: true });
  return () => {
    signal.removeEventListener("abort", call);
  };
}

function nothing(): void {
  // There is nothing to listen to.
}
