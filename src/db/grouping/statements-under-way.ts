import { afterLoopTime } from "../async/timers.js";
import { noop } from "../async/noop.js";
import { FEW_STATEMENTS, LEAST_PART, LOCK_TIMEOUT_MS, PATIENCE_MS, SPARE_CONNECTIONS } from "./limits.js";

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
  /** How many of them, while calls have not waited for long. */
  readonly #few: number;
  #isPatient = true;
  /** How many calls may be under way, each in a statement of its own, before further ones wait for each other. */
  readonly #alone: number;
  readonly #sendWaiting: () => void;
  readonly #statements = new Set<SentStatement>();
  #isExpiring = false;
  #isLosingPatience = false;
  #isSending = false;

  /**
   * @param connections - How many statements the database can run at once.
   * @param sendWaiting - Sends calls that wait, unless they have to wait for a statement.
   * @param alone - How many calls are sent at once, each by itself. Default: as many as may be under way.
   */
  constructor(connections: number, sendWaiting: () => void, alone?: number) {
    this.#most = Math.max(1, connections - SPARE_CONNECTIONS);
    this.#alone = Math.min(this.#most, alone ?? this.#most);
    this.#few = Math.min(this.#most, FEW_STATEMENTS);
    this.#sendWaiting = sendWaiting;
  }

  /** How many of them hold others back. */
  get count(): number {
    return this.#statements.size;
  }

  /** Whether a call is sent at once, by itself. */
  get areFew(): boolean {
    return this.count === 0 || this.#size() < this.#alone;
  }

  /** Whether a statement for so many waiting calls may be sent beside those under way. */
  maySend(size: number): boolean {
    if (this.count === 0) return true;
    const underWay = this.#size();
    const isEnough = size >= underWay * LEAST_PART;
    if (this.#isPatient) return isEnough && this.count < this.#few;
    return underWay + size <= this.#most || (isEnough && this.count < this.#most);
  }

  /** Lets the calls that are made in the same turn of the event loop wait for each other, and then sends them. */
  sendSoon(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      this.#sendWaiting();
    });
  }

  #size(): number {
    let size = 0;
    for (const statement of this.#statements) size += statement.size;
    return size;
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

  /** Ends the wait in time: further connections are used, and statements expire. Call this whenever calls wait for statements. */
  limitWait(): void {
    if (this.count === 0) return;
    this.#useMoreLater();
    this.#expireLater();
  }

  #useMoreLater(): void {
    if (this.#isLosingPatience) return;
    this.#isLosingPatience = true;
    afterLoopTime(PATIENCE_MS, () => {
      this.#isLosingPatience = false;
      this.#isPatient = false;
      this.#sendWaiting();
      this.#isPatient = true;
    });
  }

  #expireLater(): void {
    if (this.#isExpiring) return;
    this.#isExpiring = true;
    const awaited = [...this.#statements];
    afterLoopTime(LOCK_TIMEOUT_MS, () => {
      this.#isExpiring = false;
      for (const statement of awaited) {
        if (this.#statements.delete(statement)) statement.onExpired();
      }
      this.#sendWaiting();
    });
  }
}
