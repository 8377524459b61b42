import { isUnreadable } from "../errors/index.js";
import { faultsOfBlob, faultsOfWrite } from "../saver/codec/faults-of-columns.js";
import { decodeValue, type ValueReader } from "../saver/codec/decode-value.js";
import { type StoredValue, storedValueOf, UNTAGGED } from "../saver/codec/stored-value.js";
import type { CallContext } from "../db/call-context.js";
import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";
import { checkpointKeyOf } from "../saver/model/keys.js";
import { blobPlaceOf, writePlaceOf } from "../saver/queries/get-value-page.js";
import { valueReader, ReplacedValueError } from "../saver/read-long-values.js";
import { isCompression } from "../serde/compressed/codecs.js";
import { isAesGcm, keyIdOf } from "../serde/encrypted/aes-gcm.js";
import type {
  ChannelValueContext,
  CheckpointValueContext,
  ContextualSerializer,
} from "../serde/serde-context.js";
import { formOf, isSplice } from "../splices/splice-type.js";
import { getStoredBlobs, getStoredHeader, getStoredWrites } from "./queries/get-stored-rows.js";
import type { HeaderColumns } from "../saver/codec/parse-header.js";
import { readOwnHeader } from "./backup-line.js";

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
  const key = checkpointKeyOf(row);
  const stored = await getStoredHeader(call, key);
  const canRead = (columns: HeaderColumns) => succeeds(readOwnHeader(columns, key));
  return stored !== undefined && !(await canRead(stored)) && canRead(row);
}

/** Whether the stored value can't be read, and this row can. */
export async function unreadableBlob({ call, serde }: StoredReader, row: RestoredBlob): Promise<boolean> {
  const place = blobPlaceOf(row);
  const [stored] = await getStoredBlobs(call, place.threadId, [{ ...row, bytes: null }]);
  if (stored === undefined || faultsOfBlob(row).length > 0) return false;
  if (faultsOfBlob(stored).length > 0) return true;
  const reader = valueReader(call, serde);
  const given: StoredValue = { type: row.type, blob: row.blob, base: row.base ?? null };
  const value = storedValueOf(stored.type, stored.blob, stored.base);
  return isDamaged({ reader, place, given }, value, await chainOf(reader, place, value));
}

/** Whether the stored write can't be read, and this row can. */
export async function unreadableWrite({ call, serde }: StoredReader, row: RestoredWrite): Promise<boolean> {
  const place = writePlaceOf(row);
  const [stored] = await getStoredWrites(call, place.threadId, [{ ...row, bytes: null }]);
  if (stored === undefined || faultsOfWrite(row).length > 0) return false;
  if (faultsOfWrite(stored).length > 0) return true;
  if (stored.channel !== row.channel) return false;
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
  const { format, layers } = formOf(stored ?? UNTAGGED);
  const other = formOf(given ?? UNTAGGED);
  // A short value of those that are compressed is not.
  const others = other.layers.filter((layer) => !layers.includes(layer));
  return (
    format === other.format &&
    layers.every((layer) => other.layers.includes(layer)) &&
    others.every((layer) => isCompression(layer))
  );
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
  const rows = isSplice(value.type) ? await fetchChain(place) : () => undefined;
  const chain = new Set<StoredValue>();
  for (let next: StoredValue | undefined = value; next !== undefined && !chain.has(next);) {
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
