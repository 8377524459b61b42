import { throwIfAborted } from "../statements/bounded-run.js";
import type { HeldLock } from "./locks.js";
import type { BorrowedSession, SharedSession } from "./shared-session.js";

/** The attempts of one who wants a lock: on one session, and on the next where that is lost. */
export class LockAttempts {
  readonly #shared: SharedSession;
  readonly #key: bigint;
  #borrowed: BorrowedSession | undefined;
  #hasTurn = false;

  constructor(shared: SharedSession, key: bigint) {
    this.#shared = shared;
    this.#key = key;
  }

  /** Whether no other process can take the lock before this one. */
  get hasTurn(): boolean {
    return this.#hasTurn;
  }

  /**
   * Tries once, and returns `undefined` where the lock is taken.
   *
   * @throws ConnectionError where the session was lost; the next attempt is made on another.
   * @throws AbortError where the signal has aborted, also while the session was being opened.
   */
  async tryOnce(signal: AbortSignal): Promise<HeldLock | undefined> {
    throwIfAborted(signal);
    const { session, giveBack } = await this.#borrow();
    // Even for a moment a lock that nobody wants any more would keep off those who don't wait.
    throwIfAborted(signal);
    const { locked, turn } = await session.tryLock(this.#key, this.#hasTurn);
    this.#hasTurn = turn;
    if (!locked) return undefined;
    return { lost: session.lost, release: () => session.unlock(this.#key).finally(giveBack) };
  }

  /** Leaves it at that, with nothing taken. */
  async giveUp(): Promise<void> {
    const { session, giveBack } = this.#borrowed ?? {};
    try {
      if (this.#hasTurn) await session?.unlockTurn(this.#key);
    } catch {
      // It is lost, and the turn with it.
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
