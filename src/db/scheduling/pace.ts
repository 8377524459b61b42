import { abortErrorOf } from "../statements/cancellation.js";
import type { Clock } from "./clock.js";

/** How much load work may cause that nobody waits for. */
export interface LoadLimits {
  /** The most rows that it deletes in a second, on average. `Infinity` for no limit. */
  readonly maxRowsPerSecond: number;
  /** It pauses while a replica is further behind, in milliseconds. `Infinity` for never. */
  readonly maxLagMs: number;
}

/** What a {@link Pace} works with. */
export interface PaceSettings {
  readonly limits: LoadLimits;
  readonly clock: Clock;
  /** Ends the work. */
  readonly ending: AbortSignal;
  /** Reads how far the slowest replica is behind, in milliseconds. */
  readonly readLag: () => Promise<number>;
  /** Called when the work begins to wait for a replica, and when it continues. */
  readonly onLag: (state: "behind" | "caught up", lagMs: number) => void;
}

/** How long a lag is relied on, in milliseconds. */
const LAG_VALID_MS = 1_000;

/** Makes work wait before each statement, so that its load stays within limits. */
export class Pace {
  readonly #settings: PaceSettings;
  /** When the rows so far are within the limit. */
  #paidAt = -Infinity;
  #lagValidUntil = -Infinity;

  constructor(settings: PaceSettings) {
    this.#settings = settings;
  }

  /** Counts deleted rows. The next statement waits for them. */
  spent(rows: number): void {
    const { limits, clock } = this.#settings;
    this.#paidAt = Math.max(this.#paidAt, clock.now()) + (rows * 1_000) / limits.maxRowsPerSecond;
  }

  /**
   * Waits until the next statement may be sent.
   *
   * @throws AbortError once the work is to end.
   */
  async ready(): Promise<void> {
    await this.#pause(this.#paidAt - this.#settings.clock.now());
    if (this.#settings.limits.maxLagMs < Infinity) await this.#untilReplicasFollow();
  }

  async #untilReplicasFollow(): Promise<void> {
    const { limits, clock, readLag, onLag } = this.#settings;
    let isWaiting = false;
    while (clock.now() >= this.#lagValidUntil) {
      const lagMs = await readLag();
      if (lagMs <= limits.maxLagMs) {
        this.#lagValidUntil = clock.now() + LAG_VALID_MS;
        if (isWaiting) onLag("caught up", lagMs);
        return;
      }
      if (!isWaiting) onLag("behind", lagMs);
      isWaiting = true;
      await this.#pause(LAG_VALID_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    const { clock, ending } = this.#settings;
    if (ms > 0) await clock.pause(ms, ending);
    if (ending.aborted) throw abortErrorOf(ending);
  }
}
