import type { OutputStream } from "../command-io.js";
import { ClosedPipeError } from "../errors/output-error.js";

/** Writes to a stream no faster than it is read. */
export class PacedOutput {
  readonly #stream: OutputStream;
  readonly #signal: AbortSignal | undefined;
  #isClosed = false;

  /** @param signal - Ends the wait for a reader that is slow. */
  constructor(stream: OutputStream, signal?: AbortSignal) {
    this.#stream = stream;
    this.#signal = signal;
    const close = (): void => {
      this.#isClosed = true;
    };
    stream.on?.("error", close);
    stream.on?.("close", close);
  }

  /** @throws ClosedPipeError when nobody reads it any more, or when it can't be written, of which `guardOutput` tells. */
  async write(text: string): Promise<void> {
    if (this.#isClosed) throw new ClosedPipeError();
    if (this.#stream.write(text) === false) await this.#drained();
    // A file tells of an error right after the write.
    if (this.#stream.on !== undefined) await new Promise(setImmediate);
    if (this.#hasFailed()) throw new ClosedPipeError();
  }

  #hasFailed(): boolean {
    return this.#isClosed;
  }

  async #drained(): Promise<void> {
    const stream = this.#stream;
    // What can't tell when it is ready takes everything.
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
