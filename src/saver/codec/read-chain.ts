import { BrokenChainError } from "../../errors/index.js";
import { unwrapBytes } from "../../serde/layers/serializer-layer.js";
import type {
  ChannelValueContext,
  ContextualSerializer,
  CheckpointValueContext,
} from "../../serde/serde-context.js";
import { restoreValue } from "../../splices/restore-value.js";
import { decodeSplice } from "../../splices/splice-bytes.js";
import { isSplice, wholeTypeOf } from "../../splices/splice-type.js";
import { type ChainedValue, chainedValue, type ChainLink, MAX_BASES } from "../../splices/value-chain.js";
import type { ChainRowOfPage } from "../queries/get-chains.js";
import { storedValueOf, type StoredValue } from "./stored-value.js";

/** The rows of one channel by version: a value, its base, the base of that, and so on. */
export type ChainRows = (version: string) => StoredValue | undefined;

/** The rows of one channel, by version. */
export function chainRowsOf(rows: readonly ChainRowOfPage[]): ChainRows {
  const byVersion = new Map(
    rows.map(({ version, type, blob, base }) => [version, storedValueOf(type, blob, base)]),
  );
  return (version) => byVersion.get(version);
}

/** What reads rows. */
export interface RowReader {
  readonly serde: ContextualSerializer;
  /** Returns the bytes of a row, also where they are too many to come with it. */
  readonly bytesOf: (row: StoredValue, place: CheckpointValueContext) => Promise<Uint8Array>;
}

/** A value as the innermost serializer wrote it. */
export interface ReadValue {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Returns its place in its chain. */
  readonly chained: () => ChainedValue;
}

interface WholeRow {
  readonly version: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

interface SpliceRow extends ChainLink {
  readonly type: string;
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
    if (!isSplice(type)) return valueOf({ version, type, bytes }, splices);
    if (row.base === null) throw new BrokenChainError(`version "${version}" is a splice without a base`);
    splices.push({ version, type: wholeTypeOf(type), splice: decodeSplice(bytes) });
    version = row.base;
  }
  throw new BrokenChainError(`it is made of more than ${MAX_SPLICES} rows, so they refer to each other`);
}

/** @param links - Each refers to the next one, and the last one to `whole`. */
function valueOf(whole: WholeRow, links: readonly SpliceRow[]): ReadValue {
  const [newest, ...others] = links;
  const splices = others.map(({ splice }) => splice);
  const bytes = newest === undefined ? whole.bytes : restoreValue([newest.splice, ...splices], whole.bytes);
  const type = newest === undefined ? whole.type : newest.type;
  return { type, bytes, chained: () => chainedValue(bytes, links, whole.version) };
}
