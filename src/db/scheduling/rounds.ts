import { AsyncResource } from "node:async_hooks";
import { noop } from "../async/noop.js";
import { type Clock, SYSTEM_CLOCK } from "./clock.js";
import { reportRoundsSince } from "./round-events.js";

/** The pauses of several processes differ by up to this part of a pause. */
const JITTER = 0.2;

/** The longest time between two rounds, in milliseconds. With jitter it still fits into a timer. */
export const MAX_EVERY_MS = 20_000 * 60_000;

/** Work that is done again and again. */
export interface RoundsOptions {
  /** The name of the work, as metrics show it. */
  readonly task: string;
  /** The time between two rounds, in milliseconds. */
  readonly everyMs: number;
  /** The time until the first one. Default: as between two. */
  readonly firstMs?: number;
  /** Default: the clock of the process. */
  readonly clock?: Clock;
  /**
   * Does the work of one round, and reports its own failures. When the signal aborts, it ends with the statement that runs then.
   */
  readonly run: (stopping: AbortSignal) => Promise<unknown>;
}

/** Does work in rounds, one after another, until it is stopped. A round that fails ends nothing. */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #stopping = new AbortController();
  /** Any call may start the rounds. They run as code of whoever made them. */
  readonly #constructed = new AsyncResource("Rounds");
  #running: Promise<void> | undefined;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** Begins, unless it has begun or was stopped. */
  start(): void {
    this.#running ??= this.#constructed.runInAsyncScope(() => this.#runAll());
  }

  /** Ends the rounds, and waits for the one that runs. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #runAll(): Promise<void> {
    const { task, everyMs, firstMs = everyMs, clock = SYSTEM_CLOCK, run } = this.#options;
    const { signal } = this.#stopping;
    const since = new Date();
    for (let delayMs = firstMs; ; delayMs = everyMs) {
      await clock.pause(delayMs * (1 + JITTER * Math.random()), signal);
      if (signal.aborted) return;
      // With each round, since an SDK may be registered later.
      reportRoundsSince(task, since);
      // The round has reported its failure. The next one tries again.
      await run(signal).catch(noop);
    }
  }
}
