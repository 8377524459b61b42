import type { Kysely } from "kysely";
import type pg from "pg";
import { connectLikePool } from "../sessions/connect-like-pool.js";
import type { OpenSessionConnection } from "../sessions/live-session.js";
import { connectThroughKysely } from "./connect-through-kysely.js";
import { LockSession } from "./lock-session.js";
import type { TakeLock, EndableWait, HeldLock } from "./locks.js";
import { growingPauses, retry } from "../async/retry.js";
import { retryTransient } from "../statements/retry-transient.js";
import { throwIfAborted } from "../statements/cancellation.js";
import { ownError } from "../../errors/thrown.js";

/** Takes locks on a connection of its own, which is opened as the pool opens its connections. */
export function takeBesidePool(pool: pg.Pool): TakeLock {
  return onSession((onLost) => connectLikePool(pool, onLost));
}

/** Takes locks on a connection of the Kysely. */
export function takeThroughKysely<DB>(kysely: Kysely<DB>): TakeLock {
  return onSession(() => connectThroughKysely(kysely.withoutPlugins()));
}

function onSession(connect: OpenSessionConnection): TakeLock {
  return takeOnSession(new SharedSession(() => LockSession.open(connect)));
}

const PAUSES = growingPauses(5, 250);
/** Only one process at a time holds the turn, so that it may poll more often. */
const PAUSES_WITH_TURN = growingPauses(5, 50);

/** Takes advisory locks on a session. It polls until the lock is free. */
export function takeOnSession(shared: SharedSession): TakeLock {
  return async (key, wait) => {
    const attempts = new LockAttempts(shared, key);
    let lock: HeldLock | undefined;
    try {
      lock = await untilTaken(attempts, wait);
      return lock;
    } finally {
      if (lock === undefined) await attempts.giveUp();
    }
  };
}

function untilTaken(
  attempts: LockAttempts,
  { over, signal, retry: transient, observer }: EndableWait,
): Promise<HeldLock | undefined> {
  return retry(() => retryTransient(() => attempts.tryOnce(signal), transient, { observer }), {
    pauseMs: (round) => (attempts.hasTurn ? PAUSES_WITH_TURN : PAUSES)(round),
    over,
    signal,
    afterResult: (lock) => lock === undefined,
  });
}

/** The attempts of one caller to take a lock. When a session is lost, the next attempt uses another one. */
class LockAttempts {
  readonly #shared: SharedSession;
  readonly #key: bigint;
  #borrowed: BorrowedSession | undefined;
  #hasTurn = false;

  constructor(shared: SharedSession, key: bigint) {
    this.#shared = shared;
    this.#key = key;
  }

  /** Whether this process holds the turn, so that no other process can take the lock before it. */
  get hasTurn(): boolean {
    return this.#hasTurn;
  }

  /**
   * Tries once to take the lock.
   *
   * @returns `undefined` when another process holds it.
   * @throws ConnectionError when the session was lost. The next attempt uses another one.
   * @throws AbortError when the signal has aborted, also while the session was being opened.
   */
  async tryOnce(signal: AbortSignal): Promise<HeldLock | undefined> {
    throwIfAborted(signal);
    const { session, giveBack } = await this.#borrow();
    // Doesn't take a lock that the caller no longer wants: even for a moment it would make others fail that
    // don't wait.
    throwIfAborted(signal);
    const { locked, turn } = await session.tryLock(this.#key, this.#hasTurn);
    this.#hasTurn = turn;
    if (!locked) return undefined;
    return { lost: session.lost, release: () => session.unlock(this.#key).finally(giveBack) };
  }

  /** Ends the attempts without the lock, and releases the turn. */
  async giveUp(): Promise<void> {
    const { session, giveBack } = this.#borrowed ?? {};
    try {
      if (this.#hasTurn) await session?.unlockTurn(this.#key);
    } catch {
      // The session is lost, and the turn with it.
    } finally {
      giveBack?.();
    }
  }

  async #borrow(): Promise<BorrowedSession> {
    const { session, giveBack } = this.#borrowed ?? {};
    if (session?.lost.aborted === true) {
      this.#borrowed = undefined;
      this.#hasTurn = false;
      giveBack?.();
      session.lost.throwIfAborted();
    }
    return (this.#borrowed ??= await this.#shared.borrow());
  }
}

/** A session that a caller uses until it returns it. */
export interface BorrowedSession {
  readonly session: LockSession;
  /** Returns the session, which closes soon if no other caller uses it. Must be called once. */
  readonly giveBack: () => void;
}

interface Opened {
  readonly opening: Promise<LockSession>;
  users: number;
}

/**
 * One session that all callers share. It opens for the first, closes after the last, and is replaced when it
 * is lost.
 */
export class SharedSession {
  readonly #open: () => Promise<LockSession>;
  #current: Opened | undefined;

  constructor(open: () => Promise<LockSession>) {
    this.#open = open;
  }

  async borrow(): Promise<BorrowedSession> {
    const opened = (this.#current ??= { opening: this.#open(), users: 0 });
    opened.users++;
    try {
      const session = await opened.opening;
      session.lost.throwIfAborted();
      return {
        session,
        giveBack: () => {
          this.#giveBack(opened, session);
        },
      };
    } catch (error) {
      this.#forget(opened);
      throw ownError(error);
    }
  }

  #giveBack(opened: Opened, session: LockSession): void {
    opened.users--;
    // Not at once: the next caller in the queue for a lock borrows the session as soon as this one has left.
    setImmediate(() => {
      if (opened.users > 0 || this.#current !== opened) return;
      this.#forget(opened);
      void session.close();
    });
  }

  #forget(opened: Opened): void {
    if (this.#current === opened) this.#current = undefined;
  }
}
