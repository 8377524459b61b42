/** How long a reading is used, in milliseconds. Afterwards the two clocks may have drifted too far apart. */
const READ_AGAIN_MS = 10 * 60 * 1000;

/**
 * How long after the server has read its clock the answer may be read, in milliseconds: the estimate is behind by as much. The process may
 * have been frozen or busy meanwhile.
 */
export const LONGEST_READING_MS = 1_000;

/** The clock of the server, as read on a connection. The estimate is never ahead of the server's clock. */
export class ServerClock {
  #serverMs: number | undefined;
  #readAt = -Infinity;

  /** Whether the clock must be read before use. */
  get isUnread(): boolean {
    return performance.now() - this.#readAt > READ_AGAIN_MS;
  }

  /**
   * Stores the server's time, unless reading it has taken too long. Call it as soon as the answer has arrived: the server's clock is ahead
   * of it by then.
   *
   * @param seconds - Since 1970, as text.
   * @param askedAt - On the clock of `performance.now()`.
   */
  read(seconds: string | undefined, askedAt: number): void {
    if (performance.now() - askedAt > LONGEST_READING_MS) return;
    this.#serverMs = Number(seconds) * 1000;
    this.#readAt = performance.now();
  }

  /**
   * The time on the server's clock in `ms` milliseconds, or slightly later; `undefined` where it can't be
   * known.
   */
  in(ms: number): number | undefined {
    if (this.#serverMs === undefined || Number.isNaN(this.#serverMs)) return undefined;
    return this.#serverMs + performance.now() - this.#readAt + ms;
  }
}
