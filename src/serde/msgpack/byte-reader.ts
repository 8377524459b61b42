import { isUtf8 } from "node:buffer";
import { DeserializationError } from "../../errors/index.js";

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

const REPLACEMENT = "\ufffd";

const SHORT_TEXT = 24;

const KEYS = new KeyCache();

/** Reads numbers, strings and bytes in sequence, and never past the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #position: number;
  #end: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#position = 0;
    this.#end = bytes.byteLength;
  }

  get position(): number {
    return this.#position;
  }

  get remaining(): number {
    return this.#end - this.#position;
  }

  /** Calls `read` on the next `length` bytes only, and refuses bytes that it leaves unread. */
  window<T>(length: number, read: () => T): T {
    const start = this.#advance(length);
    const { end, next } = { end: this.#end, next: this.#position };
    this.#position = start;
    this.#end = next;
    const value = read();
    this.expectEnd();
    this.#position = next;
    this.#end = end;
    return value;
  }

  /** Refuses bytes that are left over. */
  expectEnd(): void {
    if (this.remaining > 0) throw malformed(`${this.remaining} bytes are left over after the value`);
  }

  /** The next byte, without reading it. Returns 0 at the end. */
  peek(): number {
    return this.remaining > 0 ? (this.#bytes[this.#position] ?? 0) : 0;
  }

  uint8(): number {
    return this.#bytes[this.#advance(1)] ?? 0;
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#advance(2));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  uint64(): bigint {
    return this.#bytes.readBigUInt64BE(this.#advance(8));
  }

  int8(): number {
    return this.#bytes.readInt8(this.#advance(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#advance(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#advance(4));
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#advance(8));
  }

  float32(): number {
    return this.#bytes.readFloatBE(this.#advance(4));
  }

  float64(): number {
    return this.#bytes.readDoubleBE(this.#advance(8));
  }

  /** Copies the next `length` bytes. The source may be a slice of a driver's buffer. */
  bytes(length: number): Uint8Array {
    const start = this.#advance(length);
    return new Uint8Array(this.#bytes.subarray(start, this.#position));
  }

  /** Copies the bytes from `start`, an earlier {@link position}, to the current position. */
  bytesSince(start: number): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(start, this.#position));
  }

  /** The next `length` bytes as UTF-8. */
  text(length: number): string {
    return this.#text(this.#advance(length));
  }

  #text(start: number): string {
    return (this.#position - start < SHORT_TEXT ? this.#ascii(start) : undefined) ?? this.#utf8(start);
  }

  /** The next `length` bytes as UTF-8, looked up in the key cache first. */
  key(length: number): string {
    const start = this.#advance(length);
    return (
      KEYS.text(this.#bytes, start, this.#position) ??
      KEYS.remember(this.#bytes, start, this.#position, this.#text(start))
    );
  }

  /** Decodes short ASCII faster than a call into the runtime. */
  #ascii(start: number): string | undefined {
    let text = "";
    for (let index = start; index < this.#position; index += 1) {
      const code = this.#bytes[index] ?? 0;
      if (code > 0x7f) return undefined;
      text += String.fromCharCode(code);
    }
    return text;
  }

  #utf8(start: number): string {
    const text = this.#bytes.toString("utf8", start, this.#position);
    if (text.includes(REPLACEMENT) && !isUtf8(this.#bytes.subarray(start, this.#position)))
      throw malformed("a string is not valid UTF-8");
    return text;
  }

  /** Checks the length before anything is allocated. */
  #advance(length: number): number {
    const start = this.#position;
    if (length > this.#end - start)
      throw malformed(`the bytes end too early: ${length} more are expected, ${this.#end - start} are left`);
    this.#position = start + length;
    return start;
  }
}

/** The error for bytes that are not a valid MessagePack value. */
export function malformed(problem: string, cause?: unknown): DeserializationError {
  return new DeserializationError(`not a MessagePack value: ${problem}`, { typeTag: "msgpack", cause });
}
