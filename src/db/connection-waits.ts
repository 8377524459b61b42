import { ConnectionError } from "../errors/index.js";
import { afterLoopTime } from "./async/timers.js";
import { noop } from "./async/noop.js";
import { onAbort } from "./async/on-abort.js";
import { abortErrorOf, throwIfAborted } from "./statements/cancellation.js";

/** How long a call waits for a connection while none is given back, in milliseconds, where no option says so. */
const DEFAULT_WAIT_MS = 60_000;

/** The waits for the connections of one database. */
const known = new WeakMap<object, ConnectionWaits>();

/** Returns what bounds the waits for the connections that belong to `owner`. */
export function waitsOf(owner: object): ConnectionWaits {
  const waits = known.get(owner) ?? new ConnectionWaits();
  known.set(owner, waits);
  return waits;
}

/** Makes another object stand for the same connections. */
export function shareWaits(owner: object, other: object): void {
  known.set(other, waitsOf(owner));
}

/** The bounds of one wait. */
export interface WaitLimits {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. Default: 60,000. */
  readonly limitMs?: number | undefined;
  /** Describes what is waited for, and what to do about it. */
  readonly explain: () => string;
}

/** One wait, as seen by what waits. */
export interface Wait {
  /** @throws the error of the call, where the wait was given up. */
  readonly goOn: () => void;
  /** Ends the wait, and with it what bounds it. */
  readonly end: () => void;
}

/**
 * Bounds how long calls wait for a connection that may never come: where the application holds the only one, and waits for the call.
 *
 * The time counts from the last sign of life. While connections are given back, a call waits as long as its turn takes.
 */
export class ConnectionWaits {
  #movedAt = -Infinity;

  /** Whether any connection has answered, so that the database is open. A PGlite takes seconds to open. */
  get haveMoved(): boolean {
    return this.#movedAt !== -Infinity;
  }

  /** Call it when a connection was given back, or has answered. */
  moved(): void {
    this.#movedAt = performance.now();
  }

  /**
   * Runs `start`, and gives up while it waits.
   *
   * @param start - Calls `wait.goOn` before it sends anything, which throws where the wait was given up, and `wait.end` when it waits no
   *   longer.
   * @throws AbortError when the signal aborts.
   * @throws ConnectionError, not a transient one, after the limit.
   */
  async run<T>(limits: WaitLimits, start: (wait: Wait) => Promise<T>): Promise<T> {
    throwIfAborted(limits.signal);
    return new Promise((resolve, reject) => {
      let givenUp: Error | undefined;
      const giveUp = (error: Error): void => {
        stop();
        givenUp = error;
        reject(error);
      };
      const stopTimer = this.onStandstill(limits, giveUp);
      const stopListening = onAbort(limits.signal, () => {
        giveUp(abortErrorOf(limits.signal));
      });
      const stop = (): void => {
        stopTimer();
        stopListening();
      };
      const goOn = (): void => {
        if (givenUp !== undefined) throw givenUp;
      };
      const end = (): void => {
        stop();
        if (givenUp === undefined) this.moved();
      };
      start({ goOn, end: stop }).then(resolve, reject).finally(end);
    });
  }

  /**
   * Calls `giveUp` when nothing has moved for as long as the limit says.
   *
   * @returns A function that ends the wait.
   */
  onStandstill(
    { limitMs = DEFAULT_WAIT_MS, explain }: Omit<WaitLimits, "signal">,
    giveUp: (error: ConnectionError) => void,
  ): () => void {
    let stop = noop;
    const wait = (ms: number): void => {
      const beganAt = performance.now();
      stop = afterLoopTime(ms, () => {
        const untilMoved = this.#movedAt - beganAt;
        if (untilMoved > 0) wait(limitMs - ms + untilMoved);
        else giveUp(new ConnectionError(`waited ${limitMs} ms for ${explain()}`, { transient: false }));
      });
    };
    wait(limitMs);
    return () => {
      stop();
    };
  }
}
