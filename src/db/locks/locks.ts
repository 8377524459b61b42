import { ConnectionError } from "../../errors/index.js";
import { abortErrorOf, throwIfAborted } from "../statements/cancellation.js";
import type { RetryOptions, RetryRun } from "../statements/retry-transient.js";
import { KeyQueues, type Leave } from "./key-queues.js";
import { joinSignals } from "../async/on-abort.js";
import { raceAgainst, withinTime } from "../async/within-time.js";
import { noop } from "../async/noop.js";

/** How to wait for a lock. */
export interface LockWait {
  /** How long to wait, in milliseconds; `Infinity` for no limit. There is at least one attempt. */
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** How transient faults are retried while waiting for the lock. */
  readonly retry: RetryOptions | false;
  /** Its `retrying` is called before each retry. */
  readonly observer?: RetryRun["observer"];
}

/** A wait with signals. */
export interface EndableWait extends Omit<LockWait, "waitMs"> {
  /** Aborts when the time is over. */
  readonly over: AbortSignal;
  readonly signal: AbortSignal;
}

/** A lock that this process holds. */
export interface HeldLock {
  /** Aborts when the lock is lost before it is released. The reason is the error of the connection. */
  readonly lost: AbortSignal;
  /**
   * Releases the lock.
   *
   * @throws DatabaseError when it is uncertain whether the lock was held until now.
   */
  readonly release: () => Promise<void>;
}

/**
 * Takes a lock that no other caller in this process holds or waits for.
 *
 * @returns `undefined` when the wait is over.
 */
export type TakeLock = (key: bigint, wait: EndableWait) => Promise<HeldLock | undefined>;

/**
 * Advisory locks by key. Each has one holder at a time, and callers of this process get it in the order in
 * which they asked.
 */
export class Locks {
  readonly #take: TakeLock;
  readonly #queues = new KeyQueues();
  readonly #closing = new AbortController();

  /** @param take - Takes a lock against other processes. */
  constructor(take: TakeLock) {
    this.#take = take;
  }

  /**
   * Waits for a lock.
   *
   * @returns `undefined` when the wait is over.
   * @throws AbortError when the signal aborts.
   * @throws ConnectionError once the locks are closed.
   */
  async acquire(key: bigint, wait: LockWait): Promise<HeldLock | undefined> {
    throwIfAborted(wait.signal);
    this.#closing.signal.throwIfAborted();
    const { signal, release } = joinSignals([wait.signal, this.#closing.signal]);
    const acquiring = withinTime({ limitMs: wait.waitMs }, (over) =>
      this.#acquire(key, { ...wait, over, signal }),
    );
    try {
      return await raceAgainst(signal, acquiring);
    } catch (error) {
      // Releases a lock that arrives after the wait has ended.
      acquiring.then((lock) => lock?.release()).catch(noop);
      this.#closing.signal.throwIfAborted();
      throw wait.signal?.aborted === true ? abortErrorOf(wait.signal) : error;
    } finally {
      release();
    }
  }

  /** Rejects current and later waits. Holders keep their locks until they release them. */
  close(): void {
    this.#closing.abort(new ConnectionError("the database has been closed", { transient: false }));
  }

  async #acquire(key: bigint, wait: EndableWait): Promise<HeldLock | undefined> {
    const leave = await this.#queues.enter(key, wait);
    if (leave === undefined) return undefined;
    const lock = await this.#takeOrLeave(leave, key, wait);
    return lock && { lost: lock.lost, release: () => lock.release().finally(leave) };
  }

  async #takeOrLeave(leave: Leave, ...asked: Parameters<TakeLock>): Promise<HeldLock | undefined> {
    let lock: HeldLock | undefined;
    try {
      lock = await this.#take(...asked);
      return lock;
    } finally {
      if (lock === undefined) leave();
    }
  }
}
