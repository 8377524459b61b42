import { noop } from "../async/noop.js";
import { LOCK_TIMEOUT_MS } from "./lock-waits.js";

/** How many connections are left to other calls, such as those that wait for a lock. */
const SPARE_CONNECTIONS = 2;

/**
 * A statement carries at least a third of what is under way, so that many calls are sent in few statements, and the server still has
 * one to work on while this process prepares the next.
 */
const LEAST_PART = 1 / 3;

/** A statement that was sent and has not ended. */
interface SentStatement {
  readonly size: number;
  readonly onExpired: () => void;
}

/**
 * The statements that are under way, which decide whether further calls are sent at once or wait to share the next one. A statement
 * that takes longer than {@link LOCK_TIMEOUT_MS} while calls wait for it expires: it no longer holds others back.
 */
export class StatementsUnderWay {
  /** How many statements may be under way while calls wait for them. */
  readonly #most: number;
  readonly #onExpired: () => void;
  readonly #statements = new Set<SentStatement>();
  #isExpiring = false;

  /**
   * @param connections - How many statements the database can run at once.
   * @param onExpired - Called after statements may have expired.
   */
  constructor(connections: number, onExpired: () => void) {
    this.#most = Math.max(1, connections - SPARE_CONNECTIONS);
    this.#onExpired = onExpired;
  }

  /** How many of them hold others back. */
  get count(): number {
    return this.#statements.size;
  }

  /** Whether a statement for so many threads or reads may be sent beside those under way. */
  maySend(size: number): boolean {
    let underWay = 0;
    for (const statement of this.#statements) underWay += statement.size;
    if (underWay + size <= this.#most) return true;
    return this.count === 0 || (this.count < this.#most && size >= underWay * LEAST_PART);
  }

  /**
   * Notes that a statement is under way.
   *
   * @param size - For how many threads or reads it is.
   * @param onExpired - Called when it expires.
   * @returns A function to call at its end.
   */
  begin(size: number, onExpired: () => void = noop): () => void {
    const statement = { size, onExpired };
    this.#statements.add(statement);
    return () => {
      this.#statements.delete(statement);
    };
  }

  /** Lets the statements expire in time. Call this whenever calls wait for them. */
  expireLater(): void {
    if (this.#isExpiring || this.count === 0) return;
    this.#isExpiring = true;
    const awaited = [...this.#statements];
    setTimeout(() => {
      this.#isExpiring = false;
      for (const statement of awaited) {
        if (this.#statements.delete(statement)) statement.onExpired();
      }
      this.#onExpired();
    }, LOCK_TIMEOUT_MS);
  }
}
