/**
 * A generator that can be ended while somebody waits for its next value, as when the client of a stream has gone: one of
 * the language's own would end only after that value.
 */
export class EndableGenerator<T> implements AsyncGenerator<T, undefined> {
  readonly #start: (ending: AbortSignal) => AsyncGenerator<T, undefined>;
  readonly #ending = new AbortController();
  #running: AsyncGenerator<T, undefined> | undefined;

  /** @param start - Called at once, runs from the first `next()` on, and returns soon when its signal aborts. */
  constructor(start: (ending: AbortSignal) => AsyncGenerator<T, undefined>) {
    this.#start = start;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return this.#generator.next();
  }

  /** Ends it, and answers whoever waits that it has ended. */
  async return(): Promise<IteratorResult<T, undefined>> {
    this.#ending.abort();
    return this.#generator.return(undefined);
  }

  /** Ends it, as if it had failed. */
  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    this.#ending.abort();
    return this.#generator.throw(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  get #generator(): AsyncGenerator<T, undefined> {
    this.#running ??= this.#start(this.#ending.signal);
    return this.#running;
  }
}
