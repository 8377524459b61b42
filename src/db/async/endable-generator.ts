/**
 * A generator that can be ended while a caller waits for its next value, for example when the client of a stream has
 * disconnected. A generator of the language itself would end only after that value.
 */
export class EndableGenerator<T> implements AsyncGenerator<T, undefined> {
  readonly #start: (ending: AbortSignal) => AsyncGenerator<T, undefined>;
  readonly #ending = new AbortController();
  #running: AsyncGenerator<T, undefined> | undefined;

  /** @param start - Called at the first `next()`. The generator that it makes must return soon after its signal aborts. */
  constructor(start: (ending: AbortSignal) => AsyncGenerator<T, undefined>) {
    this.#start = start;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return this.#generator.next();
  }

  /** Ends the generator, and resolves pending calls of `next`. */
  async return(): Promise<IteratorResult<T, undefined>> {
    this.#ending.abort();
    return this.#generator.return(undefined);
  }

  /** Ends the generator with an error. */
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
