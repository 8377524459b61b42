import { quantile } from "./statistics.js";
import { type Operation, timed } from "./take-turns.js";

/** What came out for one saver. */
export interface LoadFigures {
  /** The median of the slices, and how far they spread. */
  readonly perSecond: number;
  readonly p5PerSecond: number;
  readonly p95PerSecond: number;
  /** How long a step took that succeeded, waiting for a connection included. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly steps: number;
  /** How many of the steps failed. */
  readonly errors: number;
}

/** Keeps count while threads go on at once, slice after slice. */
export class LoadTally {
  readonly #ratesPerSecond: number[] = [];
  readonly #timesMs: number[] = [];
  readonly #errors: unknown[] = [];

  /** Has each thread take so many steps, one after the other; a step that fails is counted, and the next one taken. */
  async slice(threads: readonly Operation[], steps: number): Promise<void> {
    const before = this.#timesMs.length;
    const ms = await timed(() => Promise.all(threads.map((step) => this.#goOn(step, steps))));
    this.#ratesPerSecond.push(((this.#timesMs.length - before) / ms) * 1_000);
  }

  /** @throws Error when no step succeeded, with the first failure as its cause. */
  figures(): LoadFigures {
    if (this.#timesMs.length === 0) throw new Error("every step failed", { cause: this.#errors[0] });
    const rates = this.#ratesPerSecond.toSorted((a, b) => a - b);
    const times = this.#timesMs.toSorted((a, b) => a - b);
    return {
      perSecond: quantile(rates, 0.5),
      p5PerSecond: quantile(rates, 0.05),
      p95PerSecond: quantile(rates, 0.95),
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      steps: times.length + this.#errors.length,
      errors: this.#errors.length,
    };
  }

  async #goOn(step: Operation, steps: number): Promise<void> {
    for (let n = 0; n < steps; n++) {
      try {
        this.#timesMs.push(await timed(step));
      } catch (error) {
        this.#errors.push(error);
      }
    }
  }
}
