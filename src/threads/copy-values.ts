import { throwIfAborted } from "../db/statements/cancellation.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";
import { DeserializationError } from "../errors/index.js";
import { isAesGcm } from "../serde/encrypted/aes-gcm.js";
import { unwrapBytes, wrapBytes } from "../serde/serializer-layer.js";
import type { ContextualSerializer, CheckpointValueContext } from "../serde/serde-context.js";
import { isSplice } from "../splices/splice-type.js";
import { decodeValue, type ValueReader } from "../saver/codec/decode-value.js";
import { encodeAt, type EncodedValue, encodeValue } from "../saver/codec/encode-value.js";
import { isEmptyTrigger, toStoredBarrier } from "../saver/codec/special-values.js";
import { storedValueOf, UNTAGGED } from "../saver/codec/stored-value.js";
import { valueReader, readOfRow } from "../saver/read-long-values.js";
import type { CopiedThreads } from "./queries/copied-headers.js";
import {
  blobPlaceOf,
  type BlobPageRow,
  getBlobPage,
  getWritePage,
  type WritePageRow,
  writePlaceOf,
} from "../saver/queries/get-value-page.js";
import { restoreBlobs } from "../saver/queries/restore-blobs.js";
import { updateSpecialWrites } from "../saver/queries/restore-writes.js";
import type { RestoredBlob, RestoredWrite, StoredRow } from "../saver/queries/restored-rows.js";
import type { TablePage } from "../saver/queries/table-page.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { INTERRUPT, TASKS } from "@langchain/langgraph-checkpoint";
import { langGraphLiteral } from "../serde/langchain/langgraph-classes.js";
import { isArray, isObject, isRecord } from "../serde/objects/inspect-object.js";
import { asPythonInterrupts } from "../serde/python/as-python.js";

const NO_BYTES = new Uint8Array();
/** The columns of a whole value, which has no base. */
const WHOLE = { base: null, whole_bytes: null };
/** The number of rows on a page. A page has no value of more than 64 KiB; longer ones are fetched one by one. */
const PAGE_SIZE = 128;
/** The type of a row for an empty channel. */
const EMPTY = "empty";
/** The type of values of Python and of this library's default serializer. */
const MSGPACK = "msgpack";
/** The type that Python's saver gives to a `bytearray`. */
const BYTEARRAY = "bytearray";
/** The most bytes that one statement stores; a single longer value has a statement of its own. */
const PORTION_BYTES = 8 * 2 ** 20;

/**
 * Copies the values and writes of a thread that the target lacks, and special writes that the target has, in portions. It decodes a value that is bound to its place,
 * or every value with `reencode`, and encodes it for its place in the target. It copies the bytes of other values.
 *
 * @param skipsStored - Whether it reads only what the target lacks, and special writes. Otherwise it stores the rest once more, which
 *   changes nothing.
 */
export async function copyValues(
  call: SaverCall,
  { source, target, reencode }: CopiedThreads,
  serde: ContextualSerializer,
  { skipsStored }: { readonly skipsStored: boolean },
): Promise<void> {
  const copier: Copier = { call, reader: valueReader(call, serde), reencode };
  const scope = {
    threadId: source,
    absentFrom: skipsStored ? target : undefined,
    textVersions: reencode,
    copies: true,
  };
  await copyTable<WritePageRow, ReturnType<typeof writePlaceOf>, RestoredWrite>(copier, {
    getPage: (page) => getWritePage(call, { ...page, ...scope }),
    placeOf: writePlaceOf,
    rowAt: (row) => ({ ...row, thread_id: target }),
    hasEmptyRows: false,
    restore: (rows) => updateSpecialWrites.insert(call.schema, rows),
  });
  await copyTable<BlobPageRow, ReturnType<typeof blobPlaceOf>, RestoredBlob>(copier, {
    getPage: (page) => getBlobPage(call, { ...page, ...scope }),
    placeOf: blobPlaceOf,
    rowAt: (row) => ({ ...row, thread_id: target, version: row.text_version ?? row.version }),
    hasEmptyRows: true,
    restore: (rows) => restoreBlobs.insert(call.schema, rows),
  });
}

interface Copier {
  readonly call: SaverCall;
  readonly reader: ValueReader;
  readonly reencode: boolean;
}

/** A row of either table, as a page returns it. */
interface PageRow {
  readonly channel: string;
  readonly base?: string | null;
  readonly type: string | null;
  readonly blob: string | null;
}

interface CopiedTable<Row extends PageRow, Place extends CheckpointValueContext, Stored> {
  readonly getPage: (page: Omit<TablePage<Place>, "threadId">) => Promise<Row[]>;
  readonly placeOf: (row: Row) => Place;
  /** The columns of the row in the target, except its value. */
  readonly rowAt: (row: Row) => Row;
  /** Whether the table has rows for empty channels. */
  readonly hasEmptyRows: boolean;
  readonly restore: (rows: readonly Stored[]) => BoundStatement<StoredRow>;
}

type CopiedRow<Row> = Omit<Row, "blob" | "type"> & {
  readonly type: string | null;
  readonly blob: Uint8Array | null;
};

async function copyTable<Row extends PageRow, Place extends CheckpointValueContext, Stored>(
  copier: Copier,
  table: CopiedTable<Row, Place, Stored | CopiedRow<Row>>,
): Promise<void> {
  const portion = new Portion(async (rows: readonly CopiedRow<Row>[]) => {
    await runTransaction(copier.call, { statements: [table.restore(rows)] });
  });
  const reread = { keyOf: table.placeOf, getPage: table.getPage };
  let begin: TablePage<Place>["begin"];
  for (;;) {
    const rows = await table.getPage({ begin, pageSize: PAGE_SIZE });
    for (const row of rows) {
      throwIfAborted(copier.call.signal);
      // A row that was deleted with its checkpoint is left out.
      const copied = await readOfRow(reread, row, (each) => copyRow(copier, table, each));
      if (copied !== undefined) await portion.add(copied);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return portion.flush();
    begin = { key: table.placeOf(last), inclusive: false };
  }
}

/** @throws ReplacedValueError when the row was replaced after the page was read. */
async function copyRow<Row extends PageRow, Place extends CheckpointValueContext, Stored>(
  copier: Copier,
  table: CopiedTable<Row, Place, Stored>,
  row: Row,
): Promise<CopiedRow<Row>> {
  const { reader } = copier;
  const [place, copied] = [table.placeOf(row), table.rowAt(row)];
  if (!isReencoded(row, copier)) {
    if (isAesGcm(row.type)) await refuseUnreadable(reader, row, place);
    return { ...copied, blob: await bytesOf(row, place, reader) };
  }
  const { serde } = reader;
  const to = table.placeOf(copied);
  if (!copier.reencode && isSplice(row.type)) {
    const stored = [row.type, (await bytesOf(row, place, reader)) ?? NO_BYTES] as const;
    const unwrapped = await unwrapBytes(serde, stored, place);
    // Where a layer binds the bytes, it can bind those of a splice to the target. The base is copied as well.
    if (isSplice(unwrapped[0]) && serde.bindsToPlace?.(unwrapped[0]) !== true) {
      const encoded = await encodeAt(to, () => wrapBytes(serde, unwrapped, to));
      return { ...copied, ...encoded };
    }
  }
  const value = await valueOf(reader, row, place);
  if (copier.reencode && table.hasEmptyRows && isEmptyTrigger(row.channel, value))
    return { ...copied, ...WHOLE, type: EMPTY, blob: null };
  const stored = copier.reencode ? storedEngineValue(row.channel, value) : value;
  const encoded = await encodeValue(serde, stored, to, to);
  const kept = keepsClass(stored) ? undefined : await bytesInLayout(copier, row, place, { encoded, to });
  return { ...copied, ...WHOLE, ...(kept ?? encoded) };
}

/**
 * Whether a value keeps the class that it had in Python, so that it is encoded as an instance of that. A primitive and plain bytes can't:
 * they may have been a `UUID` or a `bytearray`.
 */
function keepsClass(value: unknown): boolean {
  return isObject(value) && !(value instanceof Uint8Array);
}

interface Reencoded {
  readonly encoded: EncodedValue;
  readonly to: CheckpointValueContext;
}

/** The bytes of a row for its place in the target, if they are in the layout that a value is encoded in, or Python's own. */
async function bytesInLayout(
  { reader }: Copier,
  row: PageRow,
  place: CheckpointValueContext,
  { encoded, to }: Reencoded,
): Promise<EncodedValue | undefined> {
  const { serde } = reader;
  const stored = [row.type ?? UNTAGGED, (await bytesOf(row, place, reader)) ?? NO_BYTES] as const;
  const [type, bytes] = await unwrapBytes(serde, stored, place);
  // A serializer that is no layer may have bound the bytes to their place, or encrypted them by an older key.
  if ((type !== MSGPACK && type !== BYTEARRAY) || serde.bindsToPlace?.(type) === true) return undefined;
  const fresh = await unwrapBytes(serde, [encoded.type, encoded.blob], to);
  const isInLayout = type === fresh[0] || type === BYTEARRAY;
  return isInLayout ? encodeAt(to, () => wrapBytes(serde, [type, bytes], to)) : undefined;
}

function isReencoded({ type }: PageRow, { reader, reencode }: Copier): boolean {
  if (reencode) return type !== EMPTY;
  return type !== null && reader.serde.bindsToPlace?.(type) === true;
}

function valueOf(
  reader: ValueReader,
  { type, blob }: PageRow,
  place: CheckpointValueContext,
): Promise<unknown> {
  // A separate read for each value, so that only one is in memory.
  return decodeValue({ ...reader, read: {} }, storedValueOf(type, blob), place, place);
}

/**
 * Refuses a value that the serializer can't read: an `AesGcmSerializer` has bound it to its place, so that a copy of its bytes
 * could not be read. A value that the serializer reads was encrypted by another cipher with the same name, which binds nothing.
 */
async function refuseUnreadable(
  reader: ValueReader,
  row: PageRow,
  place: CheckpointValueContext,
): Promise<void> {
  try {
    await valueOf(reader, row, place);
  } catch (cause) {
    if (!(cause instanceof DeserializationError)) throw cause;
    const problem =
      "the value is encrypted by AES-256-GCM, which binds it to its thread; " +
      "copy the thread by copyThread of a saver that has the serializer of the service";
    throw new DeserializationError(problem, { ...place, typeTag: row.type ?? undefined, cause });
  }
}

async function bytesOf(
  row: PageRow,
  place: CheckpointValueContext,
  reader: ValueReader,
): Promise<Uint8Array | null> {
  const { blob, rowVersion } = storedValueOf(row.type, row.blob);
  return rowVersion === undefined ? blob : reader.fetch(place, rowVersion);
}

/** Collects rows, and stores them in portions. */
class Portion<Row extends { readonly blob: Uint8Array | null }> {
  readonly #store: (rows: readonly Row[]) => Promise<void>;
  #rows: Row[] = [];
  #bytes = 0;

  constructor(store: (rows: readonly Row[]) => Promise<void>) {
    this.#store = store;
  }

  async add(row: Row): Promise<void> {
    const length = row.blob?.byteLength ?? 0;
    if (this.#bytes + length > PORTION_BYTES || this.#rows.length >= PAGE_SIZE) await this.flush();
    this.#rows.push(row);
    this.#bytes += length;
  }

  /** Stores the rows that are still collected. */
  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    await this.#store(this.#rows);
    this.#rows = [];
    this.#bytes = 0;
  }
}

/**
 * Converts a value that another saver stored, so that Python's engine can read it from the channels that it interprets. Python
 * expects instances of classes, where the JSON of the official JavaScript saver has plain objects for sends and interrupts,
 * and lists for barriers.
 */
function storedEngineValue(channel: string, value: unknown): unknown {
  if (channel === INTERRUPT) return asPythonInterrupts(value);
  if (channel === TASKS) return isArray(value) ? value.map(asPythonSend) : asPythonSend(value);
  return toStoredBarrier(channel, value);
}

/** The official saver writes a send as its node and arguments, without a mark of its class. */
function asPythonSend(value: unknown): unknown {
  if (!isRecord(value) || typeof value.node !== "string" || !Object.hasOwn(value, "args")) return value;
  return langGraphLiteral("Send", value);
}
