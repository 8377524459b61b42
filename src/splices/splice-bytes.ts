import { createHash } from "node:crypto";
import { BrokenChainError } from "../errors/index.js";
import { ByteCursor, writeNumber } from "./numbers.js";
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
export function checkDigest(value: Uint8Array, digest: Uint8Array): void {
  if (Buffer.compare(digestOf(value), digest) === 0) return;
  throw new BrokenChainError(
    "the value has another digest than when it was stored: the splice or its base was changed",
  );
}

function digestOf(value: Uint8Array): Uint8Array {
  return createHash("sha256").update(value).digest().subarray(0, DIGEST_BYTES);
}
