import { once, EventEmitter } from "node:events";
import { onAbort } from "../../src/db/async/on-abort.js";
import type { Clock } from "../../src/db/scheduling/clock.js";

interface Pause {
  readonly endsAt: number;
  readonly end: () => void;
}

/** A clock on which only pauses take time, and which stands still until the test lets the next pause end. */
export class TestClock implements Clock {
  readonly #pauses: Pause[] = [];
  readonly #events = new EventEmitter();
  #time = 0;

  readonly now = (): number => this.#time;

  readonly pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const pause: Pause = {
        endsAt: this.#time + ms,
        end: () => {
          const at = this.#pauses.indexOf(pause);
          if (at >= 0) this.#pauses.splice(at, 1);
          resolve();
        },
      };
      this.#pauses.push(pause);
      onAbort(signal, pause.end);
      this.#events.emit("pause");
    });

  /** Waits until the work pauses, and returns for how long it will, in milliseconds. */
  async untilPaused(): Promise<number> {
    while (this.#pauses.length === 0) await once(this.#events, "pause");
    return Math.min(...this.#pauses.map(({ endsAt }) => endsAt)) - this.#time;
  }

  /** Waits until the work pauses, and lets its pause end. */
  async endPause(): Promise<void> {
    this.#time += await this.untilPaused();
    for (const { end, endsAt } of [...this.#pauses]) if (endsAt <= this.#time) end();
  }
}
