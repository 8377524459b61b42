import { ownError } from "../errors/thrown.js";
import { isFirstLog } from "../telemetry/observed-call.js";
import { outsideCalls } from "../telemetry/running-calls.js";
import { noop } from "./async/noop.js";
import type { CallContext } from "./call-context.js";
import type { Rounds } from "./scheduling/rounds.js";

/** What ends one call of `setup()` early. */
export type SetupLimits = Pick<CallContext, "signal" | "lockTimeoutMs">;

/** What a store or a cache does before its calls and beside them. */
export interface PreparationSteps {
  /** Whether the first call sets up. */
  readonly ensuresTables: boolean;
  /** Creates or migrates the tables. */
  readonly setUp: (limits: SetupLimits) => Promise<void>;
  /** Deletes what has expired, now and then. `undefined`: only on demand. */
  readonly sweeps: Rounds | undefined;
}

/** Creates the tables before the first call, and sweeps now and then. */
export class Preparation {
  readonly #steps: PreparationSteps;
  #ready: Promise<void> | undefined;
  /** Whether the tables are there. */
  #isReady = false;

  constructor(steps: PreparationSteps) {
    this.#steps = steps;
  }

  /**
   * Creates or migrates the tables. Concurrent calls share one migration, except those with limits of their own, which must not end the
   * others. A failed one is tried again by the next call.
   */
  async setUp(limits: SetupLimits = {}): Promise<void> {
    if (limits.signal !== undefined || limits.lockTimeoutMs !== undefined) {
      await this.#steps.setUp(limits);
      this.#isReady = true;
      return;
    }
    // Whatever has set up, a later call asks the server nothing.
    if (this.#isReady) return;
    await this.#shareSetUp();
  }

  async #shareSetUp(): Promise<void> {
    this.#ready ??= this.#setUpOnce();
    try {
      await this.#ready;
    } catch (error) {
      const own = ownError(error);
      // The call of the set-up has logged it.
      isFirstLog(own);
      throw own;
    }
  }

  /** Resolves when a call may begin. Returns no promise where it may begin at once. */
  ready(): Promise<void> | undefined {
    if (this.#steps.ensuresTables && !this.#isReady) return this.#setUpForAll().then(() => this.ready());
    this.#steps.sweeps?.start();
    return undefined;
  }

  /** The first call sets up for all others. */
  #setUpForAll(): Promise<void> {
    if (this.#ready === undefined) outsideCalls(() => this.setUp()).catch(noop);
    return this.setUp();
  }

  async #setUpOnce(): Promise<void> {
    try {
      await this.#steps.setUp({});
      this.#isReady = true;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  /** Ends the sweeps, and waits for the statement of one that runs. */
  async end(): Promise<void> {
    await this.#steps.sweeps?.stop();
  }
}
