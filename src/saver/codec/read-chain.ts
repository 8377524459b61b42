import { type ChainRows, type StoredValue, UNTAGGED } from "./stored-value.js";
import { BrokenChainError, type ErrorLocation } from "../../errors/index.js";
import { unwrapBytes } from "../../serde/serializer-layer.js";
import type {
  ChannelValueContext,
  ContextualSerializer,
  CheckpointValueContext,
} from "../../serde/serde-context.js";
import { restoreValue, decodeSplice, type Splice } from "../../splices/splice-bytes.js";
import { isSplice, wholeTypeOf } from "../../splices/splice-type.js";
import {
  type ChainedValue,
  chainedValue,
  MAX_CHAIN,
  rowMarkOf,
  wholeValue,
} from "../../splices/value-chain.js";
import type { ChainedValues, ValueMemory } from "../../splices/value-memory.js";
import type { CheckedCheckpoint } from "../boundary/parse-checkpoint.js";
import type { PutTarget } from "../boundary/parse-config.js";
import type { EncodedBlob } from "../queries/checkpoint-rows.js";
import { encodeChained } from "./encode-chained.js";

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
  /** The number of splices between the value and a whole one. */
  readonly splices: number;
  /**
   * Returns its place in its chain. `undefined` where the chain is longer than {@link MAX_CHAIN}, so that nothing should continue
   * it.
   */
  readonly chained: () => ChainedValue | undefined;
}

interface ReadRow {
  readonly version: string;
  readonly type: string;
  /** What the row holds. */
  readonly stored: Uint8Array;
}

interface WholeRow extends ReadRow {
  readonly bytes: Uint8Array;
}

interface SpliceRow extends ReadRow {
  readonly splice: Splice;
}

/**
 * Reads a value through the rows that it is made of, however many they are.
 *
 * @throws BrokenChainError where a row is missing, was changed, or refers to itself.
 */
export async function readChain(
  { serde, bytesOf }: RowReader,
  context: ChannelValueContext,
  rowOf: ChainRows,
): Promise<ReadValue> {
  const splices = new Map<string, SpliceRow>();
  let { version } = context;
  while (!splices.has(version)) {
    const row = rowOf(version);
    if (row === undefined)
      throw new BrokenChainError(`version "${version}", which it is made of, is not stored`);
    const place = { ...context, version };
    const stored = await bytesOf(row, place);
    const [type, bytes] = await unwrapBytes(serde, [row.type ?? UNTAGGED, stored], place);
    if (!isSplice(type)) return valueOf({ version, type, stored, bytes }, [...splices.values()]);
    if (row.base === null) throw new BrokenChainError(`version "${version}" is a splice without a base`);
    splices.set(version, { version, type: wholeTypeOf(type), stored, splice: decodeSplice(bytes) });
    version = row.base;
  }
  throw new BrokenChainError(`version "${version}", which it is made of, is made of itself`);
}

/** @param rows - Each refers to the next one, and the last one to `whole`. */
function valueOf(whole: WholeRow, rows: readonly SpliceRow[]): ReadValue {
  const [newest, ...others] = rows;
  const { version, stored } = whole;
  if (newest === undefined) {
    const rowMark = () => (whole.bytes === stored ? undefined : rowMarkOf(version, stored));
    const chained = () => wholeValue(version, whole.bytes, rowMark());
    return { type: whole.type, bytes: whole.bytes, splices: 0, chained };
  }
  const bytes = restoreValue([newest.splice, ...others.map(({ splice }) => splice)], whole.bytes);
  const chained = () => {
    if (rows.length > MAX_CHAIN) return undefined;
    const links = rows.map((row) => ({ ...row, rowMark: rowMarkOf(row.version, row.stored) }));
    return chainedValue(bytes, links, { version, rowMark: rowMarkOf(version, stored) });
  };
  return { type: newest.type, bytes, splices: rows.length, chained };
}

/** A new checkpoint. */
interface NewCheckpoint extends PutTarget {
  readonly checkpoint: Pick<CheckedCheckpoint, "channel_versions">;
  /** The versions of the new values. */
  readonly newVersions: Record<string, string | number>;
}

/** The values of a new checkpoint, each as the successor of the one in the parent. */
export interface OpenChain {
  /** What to remember: unchanged values of the parent, and new ones once they are encoded. */
  readonly values: ChainedValues;
  /** Encodes a new value; see `encodeChained`. */
  encode(
    serde: ContextualSerializer,
    value: unknown,
    context: ChannelValueContext,
    location: ErrorLocation,
  ): Promise<Omit<EncodedBlob, "channel" | "version">>;
}

/** Looks up what is remembered of the parent of a checkpoint. */
export function openChain(
  { threadId, checkpointNs, parentCheckpointId, checkpoint, newVersions }: NewCheckpoint,
  memory: ValueMemory,
): OpenChain {
  const known =
    parentCheckpointId === undefined
      ? undefined
      : memory.valuesOf({ threadId, checkpointNs, checkpointId: parentCheckpointId });
  const unchanged = [...(known ?? [])].filter(
    ([channel, { version }]) =>
      !Object.hasOwn(newVersions, channel) && String(checkpoint.channel_versions[channel]) === version,
  );
  const values = new Map<string, ChainedValue>(unchanged);
  return {
    values,
    async encode(serde, value, context, location) {
      const { channel } = context;
      const previous = known?.get(channel);
      const { chained, ...encoded } = await encodeChained(serde, { value, context, location, previous });
      if (chained !== undefined) {
        if (parentCheckpointId !== undefined) memory.countLookup(previous !== undefined);
        values.set(channel, chained);
      }
      return encoded;
    },
  };
}
