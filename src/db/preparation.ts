const MINUTE_MS = 60_000;
/** Sweeps of several processes begin at different times. */
const JITTER = 0.2;

/** What a store or a cache does before its calls and beside them. */
export interface PreparationSteps {
  /** Whether the first call sets up. */
  readonly ensuresTables: boolean;
  /** Creates or migrates the tables. */
  readonly setUp: () => Promise<void>;
  /** How often it sweeps, in minutes. `undefined`: only on demand. */
  readonly sweepMinutes: number | undefined;
  /** Deletes what has expired. It reports its own failures. */
  readonly sweep: () => Promise<unknown>;
}

/** Creates the tables before the first call, and sweeps now and then. */
export class Preparation {
  readonly #steps: PreparationSteps;
  #ready: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(steps: PreparationSteps) {
    this.#steps = steps;
  }

  /** Creates or migrates the tables. All concurrent calls share one migration. A failed one is tried again by the next call. */
  setUp(): Promise<void> {
    this.#ready ??= this.#steps.setUp().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** Resolves when a call may begin. */
  async ready(): Promise<void> {
    if (this.#steps.ensuresTables) await this.setUp();
    this.#planSweep();
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #planSweep(): void {
    const { sweepMinutes } = this.#steps;
    if (sweepMinutes === undefined || this.#timer !== undefined || this.#isEnded) return;
    const delay = sweepMinutes * MINUTE_MS * (1 + JITTER * Math.random());
    this.#timer = setTimeout(() => {
      void this.#sweep();
    }, delay);
    // A process that has nothing else to do ends.
    this.#timer.unref();
  }

  async #sweep(): Promise<void> {
    try {
      await this.#steps.sweep();
    } catch {
      // The log has it. The next sweep tries again.
    }
    this.#timer = undefined;
    this.#planSweep();
  }
}
