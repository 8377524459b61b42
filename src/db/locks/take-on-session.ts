import { growingPauses, retry } from "../async/retry.js";
import { retryTransient } from "../statements/retry-transient.js";
import type { EndableWait, HeldLock, TakeLock } from "./locks.js";
import type { BorrowedSession, SharedSession } from "./shared-session.js";
import { throwIfAborted } from "../statements/cancellation.js";

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
