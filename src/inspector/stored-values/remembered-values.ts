import { unref } from "../../db/async/timers.js";
import { onAbort } from "../../db/async/on-abort.js";
import { measureValue } from "../values/measure-value.js";

const MAX_VALUES = 8;
const MAX_BYTES = 256 * 2 ** 20;
const LIFETIME_MS = 60_000;

interface Remembered {
  readonly value: unknown;
  readonly bytes: number;
  readonly expiresAt: number;
}

/** A value that is being read. */
interface Reading {
  readonly value: Promise<unknown>;
  readonly ending: AbortController;
  /** How many calls wait for the value. */
  waiting: number;
}

/**
 * Remembers the values that were decoded last for a short time, so that unfolding a large one does not decode it at each step. A key must
 * say which row the value is from, and in which version: then a value is not shown after it was replaced.
 */
export class RememberedValues {
  /** The least recently used first. */
  readonly #values = new Map<string, Remembered>();
  readonly #beingRead = new Map<string, Reading>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Returns the value of a key. Several calls at the same time read it once.
   *
   * @param read - Reads the value. Its signal aborts when no call waits for the value any more.
   * @param signal - Ends the wait of this call.
   */
  async get(
    key: string,
    read: (signal: AbortSignal) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const known = this.#values.get(key);
    if (known !== undefined) {
      this.#keep(key, known.value, known.bytes);
      return known.value;
    }
    const reading = this.#beingRead.get(key) ?? this.#begin(key, read);
    reading.waiting += 1;
    const stopListening = onAbort(signal, () => {
      reading.waiting -= 1;
      if (reading.waiting > 0) return;
      // A later call starts again.
      this.#end(key, reading);
      reading.ending.abort();
    });
    try {
      return await reading.value;
    } finally {
      stopListening();
    }
  }

  /** The number of values, and the memory that they take in bytes, about. */
  get size(): { readonly values: number; readonly bytes: number } {
    return { values: this.#values.size, bytes: this.#bytes };
  }

  #begin(key: string, read: (signal: AbortSignal) => Promise<unknown>): Reading {
    const ending = new AbortController();
    const value = this.#read(key, () => read(ending.signal));
    const reading = { value, ending, waiting: 0 };
    this.#beingRead.set(key, reading);
    const end = (): void => {
      this.#end(key, reading);
    };
    value.then(end, end);
    return reading;
  }

  #end(key: string, reading: Reading): void {
    if (this.#beingRead.get(key) === reading) this.#beingRead.delete(key);
  }

  async #read(key: string, read: () => Promise<unknown>): Promise<unknown> {
    const value = await read();
    const bytes = measureValue(value, MAX_BYTES);
    if (bytes <= MAX_BYTES) this.#keep(key, value, bytes);
    return value;
  }

  #keep(key: string, value: unknown, bytes: number): void {
    this.#forget(key);
    this.#values.set(key, { value, bytes, expiresAt: Date.now() + LIFETIME_MS });
    this.#bytes += bytes;
    for (const [oldest] of this.#values) {
      if (this.#values.size <= MAX_VALUES && this.#bytes <= MAX_BYTES) break;
      this.#forget(oldest);
    }
    if (this.#timer === undefined) this.#wake(LIFETIME_MS);
  }

  #forget(key: string): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    this.#values.delete(key);
  }

  #forgetExpired(): void {
    this.#timer = undefined;
    const now = Date.now();
    for (const [key, { expiresAt }] of this.#values) {
      if (expiresAt <= now) this.#forget(key);
    }
    const [next] = this.#values.values();
    if (next !== undefined) this.#wake(next.expiresAt - now);
  }

  #wake(afterMs: number): void {
    const timer = setTimeout(() => {
      this.#forgetExpired();
    }, afterMs);
    unref(timer);
    this.#timer = timer;
  }
}
