import type { OutputStream } from "../command-io.js";
import { ClosedPipeError } from "../errors/output-error.js";

/** Writes to a stream with backpressure: each write waits until the stream accepts more. */
export class StreamWriter {
  readonly #stream: OutputStream;
  readonly #signal: AbortSignal | undefined;
  #isClosed = false;

  /** @param signal - Ends the wait for a slow reader. */
  constructor(stream: OutputStream, signal?: AbortSignal) {
    this.#stream = stream;
    this.#signal = signal;
    const close = (): void => {
      this.#isClosed = true;
    };
    stream.on?.("error", close);
    stream.on?.("close", close);
  }

  /** @throws ClosedPipeError if the reader closed the stream, or a write failed; `handleOutputErrors` reports the latter. */
  async write(text: string): Promise<void> {
    if (this.#isClosed) throw new ClosedPipeError();
    if (this.#stream.write(text) === false) await this.#drained();
    // A file emits the error of a write in the next turn of the event loop.
    if (this.#stream.on !== undefined) await new Promise(setImmediate);
    if (this.#hasClosed()) throw new ClosedPipeError();
  }

  // A method, since TypeScript would assume that the field has not changed since the first check.
  #hasClosed(): boolean {
    return this.#isClosed;
  }

  async #drained(): Promise<void> {
    const stream = this.#stream;
    // A stream without events can't signal `drain`, and has to accept everything.
    if (stream.on === undefined) return;
    const events = ["drain", "error", "close"] as const;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        this.#signal?.removeEventListener("abort", settle);
        for (const event of events) stream.off?.(event, settle);
        resolve();
      };
      for (const event of events) stream.on?.(event, settle);
      this.#signal?.addEventListener("abort", settle);
      if (this.#signal?.aborted === true) settle();
    });
  }
}
