import { raceAgainst, withinTime } from "../db/async/within-time.js";
import { noop } from "../db/async/noop.js";
import type { Preparation } from "../db/preparation.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { ConnectionError, DatabaseError } from "../errors/index.js";
import { ownError } from "../errors/thrown.js";
import type { ObservedOperation } from "../telemetry/running-calls.js";
import type { CacheCall } from "./cache-call.js";
import { runCall } from "../db/run-call.js";

/** The SQLSTATE classes of errors that only the values of a call cause: data, constraints, and limits of rows. */
const CLASSES_OF_VALUES = new Set(["22", "23", "54"]);

/** Options of {@link GuardedCalls}. */
interface DeadlineOptions {
  /** How long a call waits, in milliseconds. */
  readonly deadlineMs: number;
  /** How long the database is left alone after a failure, in milliseconds. */
  readonly retryAfterMs: number;
}

/** Runs calls that a run of a graph waits for: a database that does not answer delays it by a bounded time, and only once. */
export class GuardedCalls {
  readonly #preparation: Preparation;
  readonly #deadlineMs: number;
  readonly #retryAfterMs: number;
  readonly #breaker: CircuitBreaker;

  constructor(preparation: Preparation, { deadlineMs, retryAfterMs }: DeadlineOptions) {
    this.#preparation = preparation;
    this.#deadlineMs = deadlineMs;
    this.#retryAfterMs = retryAfterMs;
    this.#breaker = new CircuitBreaker({ retryAfterMs });
  }

  /**
   * Runs a call within the deadline.
   *
   * @throws ConnectionError when the time is over. The server is asked to cancel the statement.
   * @throws the error of an earlier call, at once, while the database is left alone. After that time one call runs in the background, and
   *   its caller gets that error too.
   */
  async run<T>(
    call: CacheCall,
    operation: ObservedOperation,
    work: (call: CacheCall) => Promise<T>,
  ): Promise<T> {
    const admission = this.#breaker.admit();
    const { failure } = this.#breaker;
    if (failure === undefined) return this.#attempt(call, operation, work);
    if (admission === "try") this.#attempt(call, operation, work).catch(noop);
    throw ownError(failure);
  }

  async #attempt<T>(
    call: CacheCall,
    operation: ObservedOperation,
    work: (call: CacheCall) => Promise<T>,
  ): Promise<T> {
    try {
      const result = await runCall(call, operation, async (observed) => {
        const { database } = observed;
        // A PGlite keeps this process busy for seconds while it opens, during which no timer could end the wait.
        if (!database.closed) await database.opening?.();
        return this.#withinDeadline(async (signal) => {
          await this.#preparation.ready();
          return work({ ...observed, signal });
        });
      });
      this.#succeeded(call);
      return result;
    } catch (reason) {
      const error = toDatabaseError(reason);
      if (mayRecur(error)) this.#failed(call, error);
      throw error;
    }
  }

  #withinDeadline<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limitMs = this.#deadlineMs;
    return withinTime({ limitMs }, (signal) =>
      // Returns in time even while the server is asked to cancel the statement.
      raceAgainst(signal, work(signal)).catch((reason: unknown) => {
        if (!signal.aborted) throw reason;
        throw new ConnectionError(`the database of the cache did not answer within ${limitMs} ms`);
      }),
    );
  }

  #succeeded({ telemetry }: CacheCall): void {
    if (this.#breaker.failure === undefined) return;
    this.#breaker.succeeded();
    telemetry.report("info", "the cache is used again");
  }

  #failed({ telemetry }: CacheCall, error: Error): void {
    if (this.#breaker.failure === undefined) {
      telemetry.report("warn", "the cache is not used until a call succeeds", {
        fields: { retryAfterMs: this.#retryAfterMs },
      });
    }
    this.#breaker.failed(error);
  }
}

/** Whether the next call would most likely fail as well. */
function mayRecur(error: Error): boolean {
  return error instanceof DatabaseError && !CLASSES_OF_VALUES.has((error.sqlState ?? "").slice(0, 2));
}

/** What a call may do. */
type Admission = "call" | "try" | "leave out";

/** Options of {@link CircuitBreaker}. */
interface CircuitBreakerOptions {
  /** How long nothing is tried after a failure, in milliseconds. */
  readonly retryAfterMs: number;
  /** Returns the time in milliseconds. */
  readonly now?: () => number;
}

/** Keeps calls away from a database that does not answer. After a while it lets one through to try again. */
export class CircuitBreaker {
  readonly #retryAfterMs: number;
  readonly #now: () => number;
  #failure: Error | undefined;
  #retryAt = 0;

  constructor({ retryAfterMs, now = () => performance.now() }: CircuitBreakerOptions) {
    this.#retryAfterMs = retryAfterMs;
    this.#now = now;
  }

  /** The failure because of which calls are left out; `undefined` where they are not. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Asks what a call may do. One call at a time gets the answer `try`. */
  admit(): Admission {
    if (this.#failure === undefined) return "call";
    if (this.#now() < this.#retryAt) return "leave out";
    this.#retryAt = this.#now() + this.#retryAfterMs;
    return "try";
  }

  /** A call was answered. */
  succeeded(): void {
    this.#failure = undefined;
  }

  /** A call was not answered. */
  failed(failure: Error): void {
    this.#failure = failure;
    this.#retryAt = this.#now() + this.#retryAfterMs;
  }
}
