import { ConnectionError } from "../../errors/index.js";
import { abortErrorOf, throwIfAborted } from "../statements/bounded-run.js";
import type { RetryOptions, RetryRun } from "../statements/retry-transient.js";
import { KeyQueues, type Leave } from "./key-queues.js";
import { onAbort } from "../async/on-abort.js";
import { raceAgainst } from "../async/race-against.js";

/** How a lock is waited for. */
export interface LockWait {
  /** Until when, on the clock of `performance.now()`; `Infinity` for as long as it takes. There is one try at least. */
  readonly deadline: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** How transient faults are retried while the lock is asked for. */
  readonly retry: RetryOptions | false;
  /** Told of each attempt that is made again. */
  readonly onRetry?: RetryRun["onRetry"];
}

/** A wait that can be ended. */
export type EndableWait = LockWait & { readonly signal: AbortSignal };

/** A lock that is held. */
export interface HeldLock {
  /** Aborts when the lock is lost before it is released; the reason is what the connection died of. */
  readonly lost: AbortSignal;
  /**
   * Gives the lock back.
   *
   * @throws DatabaseError when it can't be told that it was held until now.
   */
  readonly release: () => Promise<void>;
}

/**
 * Takes a lock that nobody else in this process has or asks for.
 *
 * @returns `undefined` when the wait is over.
 */
export type TakeLock = (key: bigint, wait: EndableWait) => Promise<HeldLock | undefined>;

/** Locks by number, of which one holder at a time has each, and those who ask get it in the order in which they asked. */
export class Locks {
  readonly #take: TakeLock;
  readonly #queues = new KeyQueues();
  readonly #closing = new AbortController();

  /** @param take - What is done about other processes. */
  constructor(take: TakeLock) {
    this.#take = take;
  }

  /**
   * Waits for a lock.
   *
   * @returns `undefined` when the wait is over.
   * @throws AbortError when the signal ended the wait.
   * @throws ConnectionError once the locks are closed.
   */
  async acquire(key: bigint, wait: LockWait): Promise<HeldLock | undefined> {
    throwIfAborted(wait.signal);
    this.#closing.signal.throwIfAborted();
    const ending = new AbortController();
    // Not by AbortSignal.any, which leaves something behind on signals that live for long.
    const stops = [wait.signal, this.#closing.signal].map((signal) =>
      onAbort(signal, (reason) => {
        ending.abort(reason);
      }),
    );
    const acquiring = this.#acquire(key, { ...wait, signal: ending.signal });
    try {
      return await raceAgainst(ending.signal, acquiring);
    } catch (error) {
      // What comes in after all is nobody's.
      acquiring.then((lock) => lock?.release()).catch(ignore);
      this.#closing.signal.throwIfAborted();
      throw wait.signal?.aborted === true ? abortErrorOf(wait.signal) : error;
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** Refuses who waits, and who comes later; those who hold a lock keep it until they release it. */
  close(): void {
    this.#closing.abort(new ConnectionError("the database has been closed", { transient: false }));
  }

  async #acquire(key: bigint, wait: EndableWait): Promise<HeldLock | undefined> {
    const leave = await this.#queues.enter(key, wait);
    if (leave === undefined) return undefined;
    const lock = await this.#takeOr(leave, key, wait);
    return lock && { lost: lock.lost, release: () => lock.release().finally(leave) };
  }

  async #takeOr(leave: Leave, ...asked: Parameters<TakeLock>): Promise<HeldLock | undefined> {
    let lock: HeldLock | undefined;
    try {
      lock = await this.#take(...asked);
      return lock;
    } finally {
      if (lock === undefined) leave();
    }
  }
}

function ignore(): void {
  // Its connection has died, and the lock with it.
}
