/** More events than this wait for a page that doesn't read. The thread shows what they said. */
const MAX_WAITING = 1_000;

/** Events that one side adds and another one reads, each at its pace. */
export class EventQueue<Event> implements AsyncIterable<Event> {
  readonly #waiting: Event[] = [];
  #wake: (() => void) | undefined;
  #hasEnded = false;

  /** Adds an event. Of too many, the oldest are lost. */
  add(event: Event): void {
    if (this.#hasEnded) return;
    if (this.#waiting.push(event) > MAX_WAITING) this.#waiting.shift();
    this.#wake?.();
  }

  /** Ends the events, after those that wait. */
  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, undefined> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) yield event;
      else if (this.#hasEnded) return undefined;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
