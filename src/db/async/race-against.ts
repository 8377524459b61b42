import { onAbort } from "./on-abort.js";

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
