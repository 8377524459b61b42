/** After this time without a reading the clocks may have drifted too far apart, in milliseconds. */
const READ_AGAIN_MS = 10 * 60 * 1000;

/** The clock of the server, as it was read on a connection. It is never taken to be further than it is. */
export class ServerClock {
  #serverMs: number | undefined;
  #readAt = -Infinity;

  /** Whether it is to be read before it is relied on. */
  get isUnread(): boolean {
    return performance.now() - this.#readAt > READ_AGAIN_MS;
  }

  /**
   * Takes down what the server has said, as soon as it has arrived: by then the server's clock is further.
   *
   * @param seconds - Since 1970, as text.
   */
  read(seconds: string | undefined): void {
    this.#serverMs = Number(seconds) * 1000;
    this.#readAt = performance.now();
  }

  /** What the server's clock shows in `ms` milliseconds, or somewhat later; `undefined` where it can't be known. */
  in(ms: number): number | undefined {
    if (this.#serverMs === undefined || Number.isNaN(this.#serverMs)) return undefined;
    return this.#serverMs + performance.now() - this.#readAt + ms;
  }
}
