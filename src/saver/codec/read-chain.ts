import { BrokenChainError } from "../../errors/index.js";
import { unwrapBytes } from "../../serde/layers/serializer-layer.js";
import type { ChannelValueContext, ContextualSerializer, ValueContext } from "../../serde/serde-context.js";
import { applySplice, checkDigest, decodeSplice, type Splice } from "../../splices/splice-bytes.js";
import { isSplice, wholeTypeOf } from "../../splices/splice-type.js";
import { type ChainedValue, MAX_BASES, splicedValue, wholeValue } from "../../splices/value-chain.js";
import type { StoredValue } from "./stored-value.js";

/** The rows of one channel: a value, its base, the base of that, and so on. */
export interface ChainRows {
  readonly rowOf: (version: string) => ChainRow | undefined;
  /** Where several values are read from the same rows. */
  readonly recent?: RecentChain | undefined;
}

/** A row of a chain. */
export interface ChainRow extends StoredValue {
  /** The version that the row refers to. `null` for a whole value. */
  readonly base: string | null;
}

/** What reads rows. */
export interface RowReader {
  readonly serde: ContextualSerializer;
  /** Returns the bytes of a row, also where they are too many to come with it. */
  readonly bytesOf: (row: StoredValue, place: ValueContext) => Promise<Uint8Array>;
}

/** A value as the innermost serializer wrote it. */
export interface ReadValue {
  readonly type: string;
  readonly value: ChainedValue;
}

/** The tag of rows without one, which the first versions of the official savers wrote. */
export const UNTAGGED = "json";

/** The most rows that a value is made of, besides a whole one. */
const MAX_SPLICES = 2 * MAX_BASES;

/**
 * Reads a value through the rows that it is made of. Only the digest of the value itself is checked: it can't be right where
 * something else was changed.
 *
 * @throws BrokenChainError where a row is missing, was changed, or refers to itself.
 */
export async function readChain(
  { serde, bytesOf }: RowReader,
  context: ChannelValueContext,
  { rowOf, recent }: ChainRows,
): Promise<ReadValue> {
  const splices: SpliceRow[] = [];
  let { version } = context;
  while (splices.length <= MAX_SPLICES) {
    const known = recent?.valueOf(version);
    if (known !== undefined) return valueFrom(known, splices, recent);
    const row = rowOf(version);
    if (row === undefined)
      throw new BrokenChainError(`version "${version}", which it is made of, is not stored`);
    const place = { ...context, version };
    const stored = [row.type ?? UNTAGGED, await bytesOf(row, place)] as const;
    const [type, bytes] = await unwrapBytes(serde, stored, place);
    if (!isSplice(type)) return valueFrom({ type, value: wholeValue(version, bytes) }, splices, recent);
    if (row.base === null) throw new BrokenChainError(`version "${version}" is a splice without a base`);
    splices.push({ version, type: wholeTypeOf(type), splice: decodeSplice(bytes) });
    version = row.base;
  }
  throw new BrokenChainError(`it is made of more than ${MAX_SPLICES} rows, so they refer to each other`);
}

interface SpliceRow {
  readonly version: string;
  readonly type: string;
  readonly splice: Splice;
}

/** @param splices - Each refers to the next one, and the last one to `start`. */
function valueFrom(
  start: UncheckedValue,
  splices: readonly SpliceRow[],
  recent: RecentChain | undefined,
): ReadValue {
  const bases: UncheckedValue[] = [];
  let newest = start;
  for (const { version, type, splice } of splices.toReversed()) {
    bases.unshift(newest);
    const bytes = applySplice(splice, newest.value.bytes);
    newest = { type, value: splicedValue(version, bytes, splice, newest.value), digest: splice.digest };
  }
  if (newest.digest !== undefined) checkDigest(newest.value.bytes, newest.digest);
  recent?.continue(start, bases);
  return newest;
}

interface UncheckedValue extends ReadValue {
  /** The digest that the value must have. Absent for a whole value. */
  readonly digest?: Uint8Array;
}

/** The most bytes that are kept of a chain. */
const RECENT_BYTES = 16 * 2 ** 20;

/**
 * The values that the value which was read last is made of. A list reads the values of a channel from the newest to the oldest, so
 * the next one is in this chain, or made of a part of it: each splice is applied once. The value itself is not kept, because the
 * caller may change its bytes.
 */
export class RecentChain {
  /** The newest first. */
  #values: readonly UncheckedValue[] = [];

  valueOf(version: string): UncheckedValue | undefined {
    return this.#values.find(({ value }) => value.version === version);
  }

  /**
   * @param start - A value of this chain, or a new one, from which a value was built.
   * @param bases - What the new value is made of, the newest first, down to `start`.
   */
  continue(start: UncheckedValue, bases: readonly UncheckedValue[]): void {
    const older = this.#values.slice(this.#values.indexOf(start) + 1 || this.#values.length);
    let bytes = 0;
    this.#values = [...bases, ...older].filter(({ value }) => (bytes += value.bytes.length) <= RECENT_BYTES);
  }
}
