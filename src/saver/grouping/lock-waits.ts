import { setTimeout as pause } from "node:timers/promises";
import { growingPauseMs, type PauseBounds } from "../../db/async/growing-pause.js";
import { isLockTimeout } from "../../db/statements/lock-timeout.js";
import { AbortError, StatementTimeoutError } from "../../errors/index.js";

/** How long a statement waits for a lock while other calls wait for the statement, in milliseconds. */
export const LOCK_TIMEOUT_MS = 30;

/** The pauses before a call that found its rows locked is sent again. */
const PAUSES: PauseBounds = { firstMs: 20, longestMs: 200 };

/** What bounds an attempt to send a call. */
export interface SendBounds {
  /** How long each statement waits for a lock, in milliseconds. Default: no limit. */
  readonly lockTimeoutMs?: number;
  /** Ends the attempt. */
  readonly signal?: AbortSignal;
}

/** A call that can be sent several times. */
export interface SendableCall {
  /** Its own signal. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit of one statement, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Sends the call by itself. */
  readonly send: (bounds?: SendBounds) => Promise<void>;
}

/**
 * Sends calls by themselves so that those which wait for a lock leave connections to the others: so many wait on their connections,
 * and the rest give up after {@link LOCK_TIMEOUT_MS} and try again after a pause.
 */
export class LockWaits {
  readonly #most: number;
  #waiting = 0;
  /** The attempts that end when another call needs the only connection, and when they began. */
  readonly #interruptible = new Map<AbortController, number>();

  /** @param most - How many calls may wait on their connections. 0 for a single connection. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Sends a call.
   *
   * @param isAwaited - Whether other calls wait for it until {@link interrupt} is called.
   * @throws StatementTimeoutError if its rows stay locked for its time limit.
   */
  async send(call: SendableCall, isAwaited: boolean): Promise<void> {
    const { send, timeoutMs = Infinity } = call;
    const began = performance.now();
    if (this.#most === 0 && isAwaited && (await this.#sendUntilInterrupted(call))) return;
    for (let round = 0; ; round++) {
      if (this.#waiting < this.#most) {
        await this.#sendUnlimited(call);
        return;
      }
      try {
        await send({ lockTimeoutMs: LOCK_TIMEOUT_MS });
        return;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        if (performance.now() - began >= timeoutMs)
          throw new StatementTimeoutError(timeoutMs, { cause: error });
      }
      await pause(growingPauseMs(round, PAUSES));
    }
  }

  /** Ends attempts that have occupied the only connection since a time of `performance.now()`. They are made again. */
  interrupt(since: number): void {
    for (const [controller, began] of this.#interruptible) {
      if (began <= since) controller.abort();
    }
  }

  async #sendUnlimited({ send }: SendableCall): Promise<void> {
    this.#waiting++;
    try {
      await send();
    } finally {
      this.#waiting--;
    }
  }

  /** Returns whether the call was sent. */
  async #sendUntilInterrupted({ send }: SendableCall): Promise<boolean> {
    const controller = new AbortController();
    this.#interruptible.set(controller, performance.now());
    try {
      await send({ signal: controller.signal });
      return true;
    } catch (error) {
      if (controller.signal.aborted && error instanceof AbortError) return false;
      throw error;
    } finally {
      this.#interruptible.delete(controller);
    }
  }
}
