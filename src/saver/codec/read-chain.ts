import { BrokenChainError } from "../../errors/index.js";
import { unwrapBytes } from "../../serde/layers/serializer-layer.js";
import type { ChannelValueContext, ContextualSerializer, ValueContext } from "../../serde/serde-context.js";
import { applySplice, decodeSplice, type Splice } from "../../splices/splice-bytes.js";
import { isSplice, wholeTypeOf } from "../../splices/splice-type.js";
import { type ChainedValue, MAX_BASES, splicedValue, wholeValue } from "../../splices/value-chain.js";
import type { StoredValue } from "./stored-value.js";

/** The rows of one channel by version: a value, its base, the base of that, and so on. */
export type ChainRows = (version: string) => ChainRow | undefined;

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
 * Reads a value through the rows that it is made of.
 *
 * @throws BrokenChainError where a row is missing, was changed, or refers to itself.
 */
export async function readChain(
  { serde, bytesOf }: RowReader,
  context: ChannelValueContext,
  rowOf: ChainRows,
): Promise<ReadValue> {
  const splices: SpliceRow[] = [];
  let { version } = context;
  while (splices.length <= MAX_SPLICES) {
    const row = rowOf(version);
    if (row === undefined)
      throw new BrokenChainError(`version "${version}", which it is made of, is not stored`);
    const place = { ...context, version };
    const stored = [row.type ?? UNTAGGED, await bytesOf(row, place)] as const;
    const [type, bytes] = await unwrapBytes(serde, stored, place);
    if (!isSplice(type)) return wholeFrom({ type, value: wholeValue(version, bytes) }, splices);
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

/** @param splices - Each refers to the next one, and the last one to `whole`. */
function wholeFrom(whole: ReadValue, splices: readonly SpliceRow[]): ReadValue {
  return splices.reduceRight<ReadValue>((base, { version, type, splice }) => {
    const bytes = applySplice(splice, base.value.bytes);
    return { type, value: splicedValue(version, bytes, splice, base.value) };
  }, whole);
}
