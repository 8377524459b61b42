import { onAbort } from "../../db/async/on-abort.js";

/** Lets a loop wait until something has happened, or until it is time to look. */
export class Wake {
  #isDue = false;
  #resolve: (() => void) | undefined;

  /** Ends the current wait, or the next one at once. */
  readonly call = (): void => {
    this.#isDue = true;
    this.#resolve?.();
  };

  /**
   * Waits for a call, at most this long. An abort ends the wait too.
   *
   * @returns Whether to go on: `false` after an abort.
   */
  async wait(longestMs: number, signal: AbortSignal): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    if (!this.#isDue && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        timer = setTimeout(resolve, longestMs);
        stop = onAbort(signal, () => {
          resolve();
        });
      });
    }
    clearTimeout(timer);
    stop?.();
    this.#resolve = undefined;
    this.#isDue = false;
    return !signal.aborted;
  }
}
