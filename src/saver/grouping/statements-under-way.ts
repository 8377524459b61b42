import { LOCK_TIMEOUT_MS } from "./lock-waits.js";

/** How many connections are left to other calls, such as those that wait for a lock. */
const SPARE_CONNECTIONS = 2;

/**
 * A statement carries at least a third of the calls under way, so that many calls are sent in few statements, and the server still
 * has one to work on while this process prepares the next.
 */
const LEAST_PART = 1 / 3;

/** A statement that was sent and has not ended. */
export interface SentStatement {
  /** The number of calls that share it. */
  readonly calls: number;
  /** By `performance.now()`. */
  readonly sentAt: number;
}

/** The calls that wait for statements. */
export interface WaitingCalls {
  readonly areThere: () => boolean;
  /** Called when they need not wait any longer for the statements that were sent until a time of `performance.now()`. */
  readonly onExpired: (sentUntil: number) => void;
}

/**
 * The statements that are under way, which decide whether further calls are sent at once or wait to share the next one. A statement
 * that takes longer than {@link LOCK_TIMEOUT_MS} no longer holds others back.
 */
export class StatementsUnderWay {
  /** How many statements may be under way while calls wait for them. */
  readonly #most: number;
  readonly #statements = new Set<SentStatement>();
  readonly #waiting: WaitingCalls;
  #isExpiring = false;

  /** @param connections - How many statements the database can run at once. */
  constructor(connections: number, waiting: WaitingCalls) {
    this.#most = Math.max(1, connections - SPARE_CONNECTIONS);
    this.#waiting = waiting;
  }

  /** How many of them hold others back. */
  get count(): number {
    return this.#statements.size;
  }

  /** Whether a statement of so many calls may be sent beside those under way. */
  maySend(calls: number): boolean {
    let underWay = 0;
    for (const statement of this.#statements) underWay += statement.calls;
    if (underWay + calls <= this.#most) return true;
    return this.count === 0 || (this.count < this.#most && calls >= underWay * LEAST_PART);
  }

  add(calls: number): SentStatement {
    const statement = { calls, sentAt: performance.now() };
    this.#statements.add(statement);
    this.expireLater();
    return statement;
  }

  delete(statement: SentStatement): void {
    this.#statements.delete(statement);
  }

  /** Call this when a call begins to wait. */
  expireLater(): void {
    if (this.#isExpiring || this.count === 0 || !this.#waiting.areThere()) return;
    this.#isExpiring = true;
    setTimeout(() => {
      this.#isExpiring = false;
      const sentUntil = performance.now() - LOCK_TIMEOUT_MS;
      for (const statement of this.#statements) {
        if (statement.sentAt <= sentUntil) this.#statements.delete(statement);
      }
      this.#waiting.onExpired(sentUntil);
      this.expireLater();
    }, LOCK_TIMEOUT_MS);
  }
}
