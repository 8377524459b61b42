import { setImmediate as nextTurn } from "node:timers/promises";

/** How long statements may follow one another before timers, signals and I/O get a turn, in milliseconds. */
const LONGEST_MS = 5;

/**
 * Gives the event loop a turn now and then. The drivers of SQLite block, so a loop of awaited calls would let nothing else run: their
 * promises are settled already.
 */
export class EventLoopTurns {
  /** When the current turn began its first statement. */
  #since: number | undefined;

  /** Waits where the current turn has been long. Call it before each statement. */
  async pause(): Promise<void> {
    while (this.#isDue()) await nextTurn();
  }

  #isDue(): boolean {
    const now = performance.now();
    if (this.#since !== undefined) return now - this.#since > LONGEST_MS;
    this.#since = now;
    setImmediate(() => {
      this.#since = undefined;
    });
    return false;
  }
}
