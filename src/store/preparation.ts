import type { StoreOptions } from "./boundary/parse-store-options.js";
import { setUp } from "./set-up.js";
import { runStoreCall, type StoreCall } from "./store-call.js";
import { sweep } from "./sweep.js";

const MINUTE_MS = 60_000;
/** Sweeps of several processes begin at different times. */
const JITTER = 0.2;

/** What a store does by itself: it creates its tables before the first call, and sweeps now and then. */
export class Preparation {
  readonly #call: StoreCall;
  readonly #ensuresTables: boolean;
  readonly #sweepMinutes: number | undefined;
  #ready: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(call: StoreCall, { ensureTables, ttl }: StoreOptions) {
    this.#call = call;
    this.#ensuresTables = ensureTables;
    this.#sweepMinutes = ttl?.sweepIntervalMinutes;
  }

  /** Creates or migrates the tables. All concurrent calls share one migration. A failed one is tried again by the next call. */
  setUp(): Promise<void> {
    this.#ready ??= runStoreCall(this.#call, "store.setup", setUp).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** Resolves when a call may begin. */
  async ready(): Promise<void> {
    if (this.#ensuresTables) await this.setUp();
    this.#planSweep();
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #planSweep(): void {
    if (this.#sweepMinutes === undefined || this.#timer !== undefined || this.#isEnded) return;
    const delay = this.#sweepMinutes * MINUTE_MS * (1 + JITTER * Math.random());
    this.#timer = setTimeout(() => {
      void this.#sweep();
    }, delay);
    // A process that has nothing else to do ends.
    this.#timer.unref();
  }

  async #sweep(): Promise<void> {
    try {
      await runStoreCall(this.#call, "store.sweep", sweep);
    } catch {
      // The log has it. The next sweep tries again.
    }
    this.#timer = undefined;
    this.#planSweep();
  }
}
