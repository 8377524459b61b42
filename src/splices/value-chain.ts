import { findSegments } from "./find-segments.js";
import { composeSegments, copiedBytes, type Segment } from "./segments.js";
import { encodeSplice, type Splice } from "./splice-bytes.js";

/**
 * A shorter value is stored whole. A conversation is soon longer, and the steps of a state that stays short cost the same each: there
 * a comparison would take longer than it saves.
 */
export const MIN_SPLICED_BYTES = 4_096;

/**
 * The most values that a new splice is made of. In a chain that was never compacted there are at most log2(n). `compact` may put as
 * many below a chain that a writer continues meanwhile.
 */
export const MAX_BASES = 32;

/** A stored value and its place in a chain. */
export interface ChainedValue {
  readonly version: string;
  /** What the serializer wrote, before compression and encryption. */
  readonly bytes: Uint8Array;
  /** The position in the chain. A whole value is number 0. */
  readonly ordinal: number;
  /** The values between this one and the whole one, which is the last. A whole value has none. */
  readonly bases: readonly ChainedBase[];
}

/** A value that another one is made of. */
export interface ChainedBase {
  readonly version: string;
  readonly ordinal: number;
  /** What the other value shares with it. */
  readonly segments: readonly Segment[];
}

/** How a value is stored as a splice. */
export interface EncodedSplice {
  /** The version of the base. */
  readonly base: string;
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

/** A value without a base. */
export function wholeValue(version: string, bytes: Uint8Array): ChainedValue {
  return { version, bytes, ordinal: 0, bases: [] };
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
  const shared = findSegments(previous.bytes, bytes);
  const bases = [
    { version: previous.version, ordinal: previous.ordinal, segments: shared },
    ...previous.bases.map((base) => ({ ...base, segments: composeSegments(shared, base.segments) })),
  ].filter((base) => base.ordinal <= ordinal - lowestBit(ordinal));
  const [base] = bases;
  const isShort = bases.length <= MAX_BASES;
  if (base === undefined || !isShort || copiedBytes(base.segments) * 2 < bytes.length) {
    return { value: wholeValue(version, bytes) };
  }
  const payload = encodeSplice(ordinal, bytes, base.segments);
  return {
    value: { version, bytes, ordinal, bases },
    splice: { base: base.version, payload, wholeBytes: bytes.length },
  };
}

/** A splice, and the version of the value that it describes. */
export interface ChainLink {
  readonly version: string;
  readonly splice: Splice;
}

/**
 * Returns the place of a value in its chain.
 *
 * @param links - The splice of the value, that of its base, and so on.
 * @param root - The version of the base of the last splice.
 */
export function chainedValue(bytes: Uint8Array, links: readonly ChainLink[], root: string): ChainedValue {
  let value = wholeValue(root, bytes);
  for (const { version, splice } of links.toReversed()) {
    const { ordinal, segments } = splice;
    const bases = [
      { version: value.version, ordinal: value.ordinal, segments },
      ...value.bases.map((each) => ({ ...each, segments: composeSegments(segments, each.segments) })),
    ];
    value = { version, bytes, ordinal, bases };
  }
  return value;
}

/** Not by bit operations, which are limited to 32 bits. */
function lowestBit(ordinal: number): number {
  let bit = 1;
  while (ordinal % (bit * 2) === 0) bit *= 2;
  return bit;
}
