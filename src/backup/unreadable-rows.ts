import { isUnreadable } from "../errors/index.js";
import { faultsOfBlob, faultsOfWrite } from "../saver/codec/faults-of-columns.js";
import { decodeValue, type ValueReader } from "../saver/codec/decode-value.js";
import { type StoredValue, storedValueOf, UNTAGGED } from "../saver/codec/read-chain.js";
import type { CallContext } from "../db/call-context.js";
import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";
import { valueReader, ReplacedValueError } from "../saver/read-long-values.js";
import { isCompression } from "../serde/compressed/codecs.js";
import { isAesGcm } from "../serde/encrypted/aes-gcm-layer.js";
import { keyIdOf } from "../serde/encrypted/aes-gcm.js";
import type { ChannelValueContext, CheckpointValueContext, ContextualSerializer } from "../serde/serde-context.js";
import { isSplice, wholeTypeOf } from "../splices/splice-type.js";
import { getStoredBlobs } from "./queries/get-stored-blobs.js";
import { getStoredHeader } from "./queries/get-stored-header.js";
import { getStoredWrites } from "./queries/get-stored-writes.js";
import type { HeaderColumns } from "../saver/codec/parse-header.js";
import { readOwnHeader } from "./read-own-header.js";

/** What reads stored rows, and those of a backup. */
export interface StoredReader {
  readonly call: CallContext;
  readonly serde: ContextualSerializer;
}

/** Whether the stored checkpoint can't be read, and this row can. */
export async function unreadableCheckpoint(
  { call }: StoredReader,
  row: RestoredCheckpoint,
): Promise<boolean> {
  const key = { threadId: row.thread_id, checkpointNs: row.checkpoint_ns, checkpointId: row.checkpoint_id };
  const stored = await getStoredHeader(call, key);
  const canRead = (columns: HeaderColumns) => succeeds(readOwnHeader(columns, key));
  return stored !== undefined && !(await canRead(stored)) && canRead(row);
}

/** Whether the stored value can't be read, and this row can. */
export async function unreadableBlob({ call, serde }: StoredReader, row: RestoredBlob): Promise<boolean> {
  const { thread_id: threadId, checkpoint_ns: checkpointNs, channel, version } = row;
  const place = { threadId, checkpointNs, channel, version };
  const [stored] = await getStoredBlobs(call, threadId, [{ ...row, bytes: null }]);
  if (stored === undefined || faultsOfBlob(row).length > 0) return false;
  if (faultsOfBlob(stored).length > 0) return true;
  const reader = valueReader(call, serde);
  const given: StoredValue = { type: row.type, blob: row.blob, base: row.base ?? null };
  const value = storedValueOf(stored.type, stored.blob, stored.base);
  return isDamaged({ reader, place, given }, value, await chainOf(reader, place, value));
}

/** Whether the stored write can't be read, and this row can. */
export async function unreadableWrite({ call, serde }: StoredReader, row: RestoredWrite): Promise<boolean> {
  const { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId, idx } = row;
  const [stored] = await getStoredWrites(call, threadId, [{ ...row, bytes: null }]);
  if (stored === undefined || faultsOfWrite(row).length > 0) return false;
  if (faultsOfWrite(stored).length > 0) return true;
  if (stored.channel !== row.channel) return false;
  const place = { threadId, checkpointNs, checkpointId, taskId: row.task_id, idx, channel: row.channel };
  const given: StoredValue = { type: row.type, blob: row.blob, base: null };
  const value = storedValueOf(stored.type, stored.blob);
  return isDamaged({ reader: valueReader(call, serde), place, given }, value, [value]);
}

interface Comparison {
  readonly reader: ValueReader;
  readonly place: CheckpointValueContext;
  /** The value of the backup. */
  readonly given: StoredValue;
}

/**
 * Whether a stored value is damaged, and not only in a form or under a key that the serializer lacks: it reads the backup's value, which
 * has the same form.
 *
 * @param chain - The rows that the stored value is made of, with its own.
 */
async function isDamaged(
  { reader, place, given }: Comparison,
  stored: StoredValue,
  chain: readonly StoredValue[],
): Promise<boolean> {
  if (!chain.every(({ type }) => isKnownForm(type, given.type))) return false;
  if (!(await hasSameKey(reader, place, stored, given))) return false;
  if (await canRead(reader, stored, place)) return false;
  const fetchChain: ValueReader["fetchChain"] = async (of) => {
    const base = given.base === null ? undefined : await reader.fetchChain({ ...of, version: given.base });
    return (version) => (version === of.version ? given : base?.(version));
  };
  return canRead({ ...reader, fetchChain }, given, place);
}

/** Whether who reads a value of the backup can read this form as well. A splice is of the form of the whole value. */
function isKnownForm(stored: string | null, given: string | null): boolean {
  const [format, ...layers] = layersOf(stored);
  const [givenFormat, ...givenLayers] = layersOf(given);
  // A short value of those that are compressed is not.
  const others = givenLayers.filter((layer) => !layers.includes(layer));
  return (
    format === givenFormat &&
    layers.every((layer) => givenLayers.includes(layer)) &&
    others.every((layer) => isCompression(layer))
  );
}

function layersOf(type: string | null): string[] {
  const [format = "", ...layers] = (type ?? UNTAGGED).split("+");
  return [isSplice(format) ? wholeTypeOf(format) : format, ...layers];
}

/** A value under another key is not damaged, and the backup's may be under a newer one. */
async function hasSameKey(
  { fetch }: ValueReader,
  place: CheckpointValueContext,
  { type, blob, rowVersion }: StoredValue,
  given: StoredValue,
): Promise<boolean> {
  if (!isAesGcm(type)) return true;
  const bytes = rowVersion === undefined ? blob : await fetch(place, rowVersion);
  const key = bytes === null ? undefined : keyIdOf(bytes);
  return key === undefined || given.blob === null || key === keyIdOf(given.blob);
}

async function chainOf(
  { fetchChain }: ValueReader,
  place: ChannelValueContext,
  value: StoredValue,
): Promise<StoredValue[]> {
  const chain = new Set([value]);
  const rows = isSplice(value.type) ? await fetchChain(place) : () => undefined;
  for (
    let next = value.base === null ? undefined : rows(value.base);
    next !== undefined && !chain.has(next);
  ) {
    chain.add(next);
    next = next.base === null ? undefined : rows(next.base);
  }
  return [...chain];
}

function canRead(reader: ValueReader, value: StoredValue, place: CheckpointValueContext): Promise<boolean> {
  // A channel without a value has no bytes.
  if (value.type === "empty") return Promise.resolve(true);
  return succeeds(decodeValue(reader, value, place, place));
}

async function succeeds(read: Promise<unknown>): Promise<boolean> {
  try {
    await read;
    return true;
  } catch (error) {
    // A splice of the backup whose base is not stored.
    if (isUnreadable(error) || error instanceof ReplacedValueError) return false;
    throw error;
  }
}
