const SLOTS = 1024;
const MAX_LENGTH = 32;

interface Entry {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/**
 * Caches the strings of short keys by their bytes. The same few keys occur in every message, and comparing bytes is cheaper than
 * decoding them. All decoded objects also share one copy of each key.
 */
export class KeyCache {
  readonly #entries: (Entry | undefined)[] = new Array<Entry | undefined>(SLOTS).fill(undefined);

  /** The cached string of the bytes from `start` to `end`, if there is one. */
  text(bytes: Uint8Array, start: number, end: number): string | undefined {
    if (end - start > MAX_LENGTH) return undefined;
    const entry = this.#entries[slotOf(bytes, start, end)];
    return entry !== undefined && isSame(entry.bytes, bytes, start, end - start) ? entry.text : undefined;
  }

  /** Caches the string of the bytes from `start` to `end`, and returns it. */
  remember(bytes: Uint8Array, start: number, end: number, text: string): string {
    if (end - start <= MAX_LENGTH)
      this.#entries[slotOf(bytes, start, end)] = { bytes: new Uint8Array(bytes.subarray(start, end)), text };
    return text;
  }
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start] ?? 0;
  const middle = bytes[(start + end) >> 1] ?? 0;
  const last = bytes[end - 1] ?? 0;
  return ((end - start) * 131 + first * 31 + middle * 7 + last) % SLOTS;
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let index = 0; index < length; index += 1) if (known[index] !== bytes[start + index]) return false;
  return true;
}
