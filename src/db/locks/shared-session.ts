import { ownError } from "../../errors/thrown.js";
import type { LockSession } from "./lock-session.js";

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
