import { createHash } from "node:crypto";
import { BrokenChainError } from "../errors/index.js";
import type { Segment } from "./segments.js";

/** The layout of the bytes. Readers refuse others. */
const LAYOUT = 1;
const DIGEST_BYTES = 16;

/** A value as what it shares with an earlier one, and what is new. */
export interface Splice {
  /** The position in the chain. A whole value is number 0. */
  readonly ordinal: number;
  /** The length of the value. */
  readonly wholeBytes: number;
  readonly segments: readonly Segment[];
  readonly digest: Uint8Array;
  /** The bytes between segments, in order. */
  readonly literals: readonly Uint8Array[];
}

/**
 * Encodes a value as a splice of its base: the layout, the ordinal, a digest of the whole value, its length, and then by turns the
 * bytes that are new and the range of the base that follows them. Numbers are variable-length, and a range is given by its
 * distance from the end of the one before.
 */
export function encodeSplice(ordinal: number, value: Uint8Array, segments: readonly Segment[]): Uint8Array {
  const parts: Uint8Array[] = [
    writeNumber(LAYOUT),
    writeNumber(ordinal),
    digestOf(value),
    writeNumber(value.length),
  ];
  let at = 0;
  let from = 0;
  for (const segment of segments) {
    const literal = value.subarray(at, segment.at);
    parts.push(writeNumber(literal.length), literal);
    parts.push(writeNumber(segment.from - from), writeNumber(segment.length));
    at = segment.at + segment.length;
    from = segment.from + segment.length;
  }
  const rest = value.subarray(at);
  parts.push(writeNumber(rest.length), rest);
  return Buffer.concat(parts);
}

/** @throws BrokenChainError for bytes that are not a splice. */
export function decodeSplice(bytes: Uint8Array): Splice {
  const cursor = new ByteCursor(bytes);
  const layout = cursor.number();
  if (layout !== LAYOUT) throw new BrokenChainError(`the splice has the unknown layout ${layout}`);
  const ordinal = cursor.number();
  const digest = cursor.bytes(DIGEST_BYTES);
  const wholeBytes = cursor.number();
  const segments: Segment[] = [];
  const literals: Uint8Array[] = [];
  let at = 0;
  let from = 0;
  for (;;) {
    const literal = cursor.bytes(cursor.number());
    literals.push(literal);
    at += literal.length;
    if (cursor.isAtEnd) break;
    from += cursor.number();
    const length = cursor.number();
    segments.push({ at, from, length });
    at += length;
    from += length;
  }
  if (at !== wholeBytes) {
    throw new BrokenChainError(`the splice describes ${at} bytes of a value of ${wholeBytes}`);
  }
  return { ordinal, wholeBytes, segments, digest, literals };
}

/** @throws BrokenChainError where a value is not the one that was stored. */
function checkDigest(value: Uint8Array, digest: Uint8Array): void {
  if (Buffer.compare(digestOf(value), digest) === 0) return;
  throw new BrokenChainError(
    "the value has another digest than when it was stored: the splice or its base was changed",
  );
}

function digestOf(value: Uint8Array): Uint8Array {
  return createHash("sha256").update(value).digest().subarray(0, DIGEST_BYTES);
}

/** Encodes a whole number from 0 on: seven bits per byte, the lowest first. All bytes but the last have their highest bit set. */
function writeNumber(number: number): Uint8Array {
  const bytes: number[] = [];
  let rest = number;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/** Reads bytes in sequence, and never past the end. */
export class ByteCursor {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** The next number. @throws BrokenChainError where there is none. */
  number(): number {
    let number = 0;
    for (let unit = 1; unit <= Number.MAX_SAFE_INTEGER; unit *= 0x80) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) throw truncated();
      number += (byte % 0x80) * unit;
      if (byte < 0x80 && Number.isSafeInteger(number)) return number;
    }
    throw new BrokenChainError("the splice contains a number that is too large");
  }

  /** The next bytes, which share the memory of the whole. @throws BrokenChainError where there are fewer. */
  bytes(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw truncated();
    const bytes = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return bytes;
  }
}

function truncated(): BrokenChainError {
  return new BrokenChainError("the splice is truncated");
}

/** The most splices that are restored at once. Each takes a part of the call stack. */
const MAX_AT_ONCE = 256;

/**
 * Restores a value from the splices that lead to it and the whole value at the end. It copies each byte once, whatever the number
 * of splices, up to {@link MAX_AT_ONCE}. Only the digest of the value itself is checked: the value can't be right where something else was changed.
 *
 * @param splices - The splice of the value, that of its base, and so on. At least one.
 * @param whole - The base of the last splice.
 * @throws BrokenChainError where the result is not the value that was stored.
 */
export function restoreValue(splices: readonly [Splice, ...Splice[]], whole: Uint8Array): Uint8Array {
  let value = whole;
  for (let end = splices.length; end > 0; end -= MAX_AT_ONCE)
    value = restoreFrom(splices.slice(Math.max(end - MAX_AT_ONCE, 0), end), value);
  checkDigest(value, splices[0].digest);
  return value;
}

function restoreFrom(splices: readonly Splice[], whole: Uint8Array): Uint8Array {
  const wholeBytes = splices[0]?.wholeBytes ?? 0;
  const value = Buffer.allocUnsafe(wholeBytes);
  let source: Source = {
    length: whole.length,
    copy: (from, length, at) => {
      value.set(whole.subarray(from, from + length), at);
    },
  };
  for (const splice of splices.toReversed()) source = new SplicedSource(splice, source, value);
  source.copy(0, wholeBytes, 0);
  return value;
}

/** Copies ranges of a value to a position in the result. The ranges come in order and don't overlap. */
interface Source {
  /** The length of the value, in bytes. */
  readonly length: number;
  readonly copy: (from: number, length: number, at: number) => void;
}

/** A value that is described by a splice of another one. */
class SplicedSource implements Source {
  readonly #splice: Splice;
  readonly #base: Source;
  readonly #target: Uint8Array;
  /** The next literal and the segment behind it, and where the literal begins. */
  #index = 0;
  #start = 0;

  constructor(splice: Splice, base: Source, target: Uint8Array) {
    const last = splice.segments.at(-1);
    const needed = last === undefined ? 0 : last.from + last.length;
    if (needed > base.length)
      throw new BrokenChainError(`the splice refers to ${needed} bytes of a base of ${base.length}`);
    this.#splice = splice;
    this.#base = base;
    this.#target = target;
  }

  get length(): number {
    return this.#splice.wholeBytes;
  }

  copy(from: number, length: number, at: number): void {
    const { literals, segments } = this.#splice;
    const end = from + length;
    const shift = at - from;
    for (;;) {
      const literal = literals[this.#index];
      if (literal === undefined) return;
      const literalEnd = this.#start + literal.length;
      const [first, last] = [Math.max(from, this.#start), Math.min(end, literalEnd)];
      if (first < last)
        this.#target.set(literal.subarray(first - this.#start, last - this.#start), first + shift);
      const segment = segments[this.#index];
      if (segment === undefined) return;
      const [begin, stop] = [Math.max(from, segment.at), Math.min(end, segment.at + segment.length)];
      if (begin < stop) this.#base.copy(segment.from + begin - segment.at, stop - begin, begin + shift);
      if (end <= segment.at + segment.length) return;
      this.#index++;
      this.#start = segment.at + segment.length;
    }
  }
}
