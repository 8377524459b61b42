import { LOCK_PAUSES_MS, LOCK_TIMEOUT_MS } from "./limits.js";
import type { CallProgress } from "../../telemetry/running-calls.js";
import { growingPauses, retry } from "../async/retry.js";
import { withinTime } from "../async/within-time.js";
import { isLockTimeout } from "../statements/lock-timeout.js";
import { AbortError, StatementTimeoutError } from "../../errors/index.js";

/** The pauses before a call that found its rows locked is sent again. */
const PAUSES = growingPauses(LOCK_PAUSES_MS.first, LOCK_PAUSES_MS.longest);

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
  /** Told that it waits for a lock. */
  readonly progress?: CallProgress | undefined;
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

  /** @param most - How many calls may wait on their connections. 0 for a single connection. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether there is one connection only, which a call that waits for a lock has to leave to the others. */
  get areOnOneConnection(): boolean {
    return this.#most === 0;
  }

  /**
   * Sends a call.
   *
   * @param giveWay - Aborts when other calls need its connection. The call then gives it back, and tries again later. Default: none needs it.
   * @throws AbortError when the call's own signal aborts.
   * @throws StatementTimeoutError if its rows stay locked for its time limit.
   */
  async send(call: SendableCall, giveWay?: AbortSignal): Promise<void> {
    // It waits on its connection as long as it takes, so that no other attempt can follow.
    if (this.#waiting < this.#most) return this.#sendAndWait(call);
    const { signal, timeoutMs = Infinity } = call;
    const cause = await withinTime({ limitMs: timeoutMs }, async (over) => {
      if (giveWay !== undefined && (await sendUntil(giveWay, call))) return undefined;
      return retry(() => this.#sendOnce(call), {
        pauseMs: PAUSES,
        over,
        signal,
        afterResult: (lockTimeout) => {
          if (lockTimeout !== undefined) call.progress?.waitsFor("lock");
          return lockTimeout !== undefined;
        },
      });
    });
    if (cause !== undefined) throw new StatementTimeoutError(timeoutMs, { cause });
  }

  async #sendAndWait({ send }: SendableCall): Promise<void> {
    this.#waiting++;
    try {
      await send();
    } finally {
      this.#waiting--;
    }
  }

  /** Returns the error of an attempt that gave up because its rows are locked. */
  #sendOnce(call: SendableCall): Promise<Error | undefined> {
    return this.#waiting < this.#most
      ? this.#sendAndWait(call).then(() => undefined)
      : call.send({ lockTimeoutMs: LOCK_TIMEOUT_MS }).then(() => undefined, lockTimeoutOf);
  }
}

function lockTimeoutOf(error: unknown): Error {
  if (isLockTimeout(error)) return error;
  throw error;
}

/** Returns whether the call was sent before the signal ended the attempt. */
async function sendUntil(signal: AbortSignal, { send }: SendableCall): Promise<boolean> {
  try {
    await send({ signal });
    return true;
  } catch (error) {
    if (signal.aborted && error instanceof AbortError) return false;
    throw error;
  }
}
