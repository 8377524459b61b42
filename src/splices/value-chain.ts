import { createHash } from "node:crypto";
import { findSegments, composeSegments, copiedBytes, type Segment } from "./segments.js";
import { encodeSplice, type Splice } from "./splice-bytes.js";

/**
 * The most values that a new splice is made of, as its writer knows them. In a chain that was never compacted there are at most
 * log2(n).
 */
export const MAX_BASES = 32;

/**
 * The most values that any splice is made of. `compact` may make a splice of a whole value while a writer continues the chain above
 * it, which then is longer than the writer knows. Below and above the whole value there are at most {@link MAX_BASES} each.
 */
export const MAX_CHAIN = 2 * MAX_BASES;

/** A stored value and its place in a chain. */
export interface ChainedValue {
  readonly version: string;
  /** What the serializer wrote, before compression and encryption. */
  readonly bytes: Uint8Array;
  /** See {@link rowMarkOf}. Absent where the row holds `bytes` as they are. */
  readonly rowMark?: string | undefined;
  /** The position in the chain. A whole value is number 0. */
  readonly ordinal: number;
  /** The values between this one and the whole one, which is the last. A whole value has none. */
  readonly bases: readonly ChainedBase[];
}

/** A value that another one is made of. */
interface ChainedBase {
  readonly version: string;
  readonly ordinal: number;
  /** See {@link rowMarkOf}. */
  readonly rowMark: string;
  /** What the other value shares with it. */
  readonly segments: readonly Segment[];
}

/** How a value is stored as a splice. */
interface EncodedSplice {
  /** The version of the base. */
  readonly base: string;
  /** The mark of the row of the base. */
  readonly baseMark: string;
  readonly payload: Uint8Array;
  /** The length of the whole value. */
  readonly wholeBytes: number;
}

/** A new value, and how to store it. */
export interface NextValue {
  readonly value: ChainedValue;
  /** Absent where the value is to be stored whole. */
  readonly splice?: EncodedSplice;
}

/**
 * A value without a base.
 *
 * @param rowMark - See {@link rowMarkOf}. Absent where the row holds `bytes` as they are.
 */
export function wholeValue(version: string, bytes: Uint8Array, rowMark?: string): ChainedValue {
  return { version, bytes, rowMark, ordinal: 0, bases: [] };
}

/**
 * Continues a chain by a new value. The k-th value of a chain refers to number k - lowbit(k), as in a Fenwick tree: so it is at
 * most log2(k) rows away from a whole one. Where less than half of the value would be saved, it is whole and begins a new chain.
 *
 * @param previous - The newest value of the chain, or another one that is to be continued.
 * @param bytes - The new value. The result keeps them.
 */
export function nextValue(previous: ChainedValue, version: string, bytes: Uint8Array): NextValue {
  const ordinal = previous.ordinal + 1;
  const greatest = ordinal - lowestBit(ordinal);
  const shared = findSegments(previous.bytes, bytes);
  const known = basesAbove(previous, shared);
  // Where a chain was compacted, ordinals don't fall along it. All that lies below the base is a part of the value.
  const bases = known.slice(known.findIndex((base) => base.ordinal <= greatest));
  const [base] = bases;
  const isShort = bases.length <= MAX_BASES;
  if (base === undefined || !isShort || copiedBytes(base.segments) * 2 < bytes.length) {
    return { value: wholeValue(version, bytes) };
  }
  const payload = encodeSplice(ordinal, bytes, base.segments);
  return {
    value: { version, bytes, ordinal, bases },
    splice: { base: base.version, baseMark: base.rowMark, payload, wholeBytes: bytes.length },
  };
}

/**
 * The values that a value is made of where it is a splice of another one.
 *
 * @param segments - What it shares with the other one.
 */
function basesAbove(value: ChainedValue, segments: readonly Segment[]): ChainedBase[] {
  const { version, ordinal, bytes, rowMark = rowMarkOf(version, bytes), bases } = value;
  return [
    { version, ordinal, rowMark, segments },
    ...bases.map((each) => ({ ...each, segments: composeSegments(segments, each.segments) })),
  ];
}

/** The row of a value. */
interface RowOfChain {
  readonly version: string;
  /** See {@link rowMarkOf}. */
  readonly rowMark: string;
}

/** A splice, and the row that holds it. */
export interface ChainLink extends RowOfChain {
  readonly splice: Splice;
}

/**
 * Returns the place of a value in its chain.
 *
 * @param links - The splice of the value, that of its base, and so on.
 * @param root - The row of the base of the last splice.
 */
export function chainedValue(bytes: Uint8Array, links: readonly ChainLink[], root: RowOfChain): ChainedValue {
  let value = wholeValue(root.version, bytes, root.rowMark);
  for (const { version, rowMark, splice } of links.toReversed()) {
    const { ordinal, segments } = splice;
    value = { version, bytes, rowMark, ordinal, bases: basesAbove(value, segments) };
  }
  return value;
}

/** The end of a version that a saver has drawn, so that no other value has the same version. */
const RANDOM_TAIL = /\.\d*[1-9]\d{8,}$/;

/**
 * What tells whether a row still holds what its writer or reader knows: a digest of the bytes, as hexadecimal text. Where the version has
 * a random tail, no other value has it. Then the length is enough, which tells forms of the value apart, and costs nothing.
 */
export function rowMarkOf(version: string, stored: Uint8Array): string {
  if (RANDOM_TAIL.test(version)) return String(stored.byteLength);
  return createHash("sha256").update(stored).digest("hex");
}

/** Not by bit operations, which are limited to 32 bits. */
function lowestBit(ordinal: number): number {
  let bit = 1;
  while (ordinal % (bit * 2) === 0) bit *= 2;
  return bit;
}
