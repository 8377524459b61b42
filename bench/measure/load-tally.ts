import { quantile } from "./statistics.js";
import { type Operation, timed } from "./take-turns.js";

/** The result of one saver. */
export interface LoadFigures {
  /** The median and the spread of the slices. */
  readonly perSecond: number;
  readonly p5PerSecond: number;
  readonly p95PerSecond: number;
  /** The duration of the successful steps, including the wait for a connection. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly steps: number;
  /** The number of failed steps. */
  readonly errors: number;
}

/** Counts the steps of concurrent threads, slice by slice. */
export class LoadTally {
  readonly #ratesPerSecond: number[] = [];
  readonly #timesMs: number[] = [];
  readonly #errors: unknown[] = [];

  /** Runs this number of steps in each thread, one after the other. A failed step is counted, and the next one runs. */
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
