import { measureValue } from "../values/measure-value.js";

const MAX_VALUES = 8;
const MAX_BYTES = 256 * 2 ** 20;
const LIFETIME_MS = 60_000;

interface Remembered {
  readonly value: unknown;
  readonly bytes: number;
  readonly expiresAt: number;
}

/**
 * Remembers the values that were decoded last for a short time, so that unfolding a large one does not decode it at each step. A key must
 * say which row the value is from, and in which version: then a value is not shown after it was replaced.
 */
export class RememberedValues {
  /** The least recently used first. */
  readonly #values = new Map<string, Remembered>();
  readonly #beingRead = new Map<string, Promise<unknown>>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Returns the value of a key. Several calls at the same time read it once. */
  async get(key: string, read: () => Promise<unknown>): Promise<unknown> {
    const known = this.#values.get(key);
    if (known !== undefined) {
      this.#keep(key, known.value, known.bytes);
      return known.value;
    }
    const underWay = this.#beingRead.get(key) ?? this.#read(key, read);
    this.#beingRead.set(key, underWay);
    return underWay;
  }

  /** The number of values, and the memory that they take in bytes, about. */
  get size(): { readonly values: number; readonly bytes: number } {
    return { values: this.#values.size, bytes: this.#bytes };
  }

  async #read(key: string, read: () => Promise<unknown>): Promise<unknown> {
    try {
      const value = await read();
      const bytes = measureValue(value, MAX_BYTES);
      if (bytes <= MAX_BYTES) this.#keep(key, value, bytes);
      return value;
    } finally {
      this.#beingRead.delete(key);
    }
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
    this.#timer = timer.unref();
  }
}
