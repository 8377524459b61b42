import { noop } from "../db/async/noop.js";
import { outsideCalls } from "../telemetry/outside-calls.js";

/** Sweeps a cache that has grown, one sweep at a time. A sweep belongs to no call. */
export class Trimming {
  readonly #sweep: () => Promise<unknown>;
  #isRunning = false;
  #hasGrown = false;

  /** @param sweep - Reports its failures itself. */
  constructor(sweep: () => Promise<unknown>) {
    this.#sweep = sweep;
  }

  /** Sweeps soon. */
  begin(): void {
    this.#hasGrown = true;
    if (!this.#isRunning) void outsideCalls(() => this.#run());
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Once more for what was stored after a sweep had measured the cache.
    while (this.#hasGrown) {
      this.#hasGrown = false;
      // A later `set` tries again after a failure.
      await this.#sweep().catch(noop);
    }
    this.#isRunning = false;
  }
}
