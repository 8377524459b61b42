/** What a call may do. */
export type Admission = "call" | "try" | "leave out";

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
