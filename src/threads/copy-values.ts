import { throwIfAborted } from "../db/statements/bounded-run.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";
import { DeserializationError } from "../errors/index.js";
import { isAesGcm } from "../serde/encrypted/aes-gcm-layer.js";
import type { ContextualSerializer, ValueContext } from "../serde/serde-context.js";
import { decodeValue, type ValueReader } from "../saver/codec/decode-value.js";
import { encodeValue } from "../saver/codec/encode-value.js";
import { isEmptyTrigger } from "../saver/codec/may-be-empty.js";
import { storedValueOf } from "../saver/codec/stored-value.js";
import { ReplacedValueError, readUnreplaced, valueReader } from "../saver/long-values.js";
import type { CopiedThreads } from "./queries/copy-rows.js";
import {
  type BlobPageRow,
  getBlobPage,
  getWritePage,
  type WritePageRow,
} from "../saver/queries/get-value-page.js";
import { restoreBlobs } from "../saver/queries/restore-blobs.js";
import { restoreWrites } from "../saver/queries/restore-writes.js";
import type { RestoredBlob, RestoredWrite, StoredRow } from "../saver/queries/restored-rows.js";
import type { TablePage } from "../saver/queries/table-page.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { storedEngineValue } from "./engine-values.js";

/** A page brings no value of more than 64 KiB; longer ones are fetched one by one. */
const PAGE_SIZE = 128;
/** The type of a row that says that a channel is empty. */
const EMPTY = "empty";
/** How many bytes are collected before they are stored. */
const PORTION_BYTES = 8 * 2 ** 20;

/**
 * Copies those values and writes of a thread that the target has not, portion by portion: the ones that are bound to their
 * place, or all where that is asked for, are decoded there and encoded for their place in the target, others go as they are.
 */
export async function copyValues(
  call: SaverCall,
  { source, target, reencode }: CopiedThreads,
  serde: ContextualSerializer,
): Promise<void> {
  const mover: Mover = { call, reader: valueReader(call, serde), reencode };
  const copied = { threadId: source, absentFrom: target, textVersions: reencode };
  await moveTable<WritePageRow, ReturnType<typeof writePlace>, RestoredWrite>(mover, {
    getPage: (page) => getWritePage(call, { ...page, ...copied }),
    placeOf: writePlace,
    rowAt: (row) => ({ ...row, thread_id: target }),
    takesEmpty: false,
    restore: (rows) => restoreWrites(call.schema, rows),
  });
  await moveTable<BlobPageRow, ReturnType<typeof blobPlace>, RestoredBlob>(mover, {
    getPage: (page) => getBlobPage(call, { ...page, ...copied }),
    placeOf: blobPlace,
    rowAt: (row) => ({ ...row, thread_id: target, version: row.text_version ?? row.version }),
    takesEmpty: true,
    restore: (rows) => restoreBlobs(call.schema, rows),
  });
}

interface Mover {
  readonly call: SaverCall;
  readonly reader: ValueReader;
  readonly reencode: boolean;
}

/** A row of either table, as a page brings it. */
interface PageRow {
  readonly channel: string;
  readonly type: string | null;
  readonly blob: string | null;
}

interface MovedTable<Row extends PageRow, Place extends ValueContext, Moved> {
  readonly getPage: (page: Omit<TablePage<Place>, "threadId">) => Promise<Row[]>;
  readonly placeOf: (row: Row) => Place;
  /** The row as the target has it, but for its bytes. */
  readonly rowAt: (row: Row) => Row;
  /** Whether the table has rows that say that a channel is empty. */
  readonly takesEmpty: boolean;
  readonly restore: (rows: readonly Moved[]) => BoundStatement<StoredRow>;
}

type MovedRow<Row> = Omit<Row, "blob" | "type"> & {
  readonly type: string | null;
  readonly blob: Uint8Array | null;
};

async function moveTable<Row extends PageRow, Place extends ValueContext, Stored>(
  mover: Mover,
  table: MovedTable<Row, Place, Stored | MovedRow<Row>>,
): Promise<void> {
  const portion = new Portion(async (rows: readonly MovedRow<Row>[]) => {
    await runTransaction(mover.call, { statements: [table.restore(rows)] });
  });
  let begin: TablePage<Place>["begin"];
  for (;;) {
    const rows = await table.getPage({ begin, pageSize: PAGE_SIZE });
    for (const row of rows) {
      throwIfAborted(mover.call.signal);
      const moved = await moveUnreplaced(mover, table, row);
      if (moved !== undefined) await portion.add(moved);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return portion.flush();
    begin = { key: table.placeOf(last), inclusive: false };
  }
}

/** The row of the target; `undefined` where it went before its long value was fetched, and its checkpoint with it. */
async function moveUnreplaced<Row extends PageRow, Place extends ValueContext, Stored>(
  mover: Mover,
  table: MovedTable<Row, Place, Stored>,
  first: Row,
): Promise<MovedRow<Row> | undefined> {
  const key = table.placeOf(first);
  let row = first;
  return readUnreplaced(async () => {
    try {
      return await move(mover, table, row);
    } catch (error) {
      if (!(error instanceof ReplacedValueError)) throw error;
      const [again] = await table.getPage({ begin: { key, inclusive: true }, pageSize: 1 });
      if (again === undefined || !isSamePlace(table.placeOf(again), key)) return undefined;
      row = again;
      throw error;
    }
  });
}

function isSamePlace(a: ValueContext, b: ValueContext): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** @throws ReplacedValueError where the row is no longer what it was. */
async function move<Row extends PageRow, Place extends ValueContext, Stored>(
  mover: Mover,
  table: MovedTable<Row, Place, Stored>,
  row: Row,
): Promise<MovedRow<Row>> {
  const { reader } = mover;
  const [place, moved] = [table.placeOf(row), table.rowAt(row)];
  if (!isEncodedAnew(row, mover)) {
    if (isAesGcm(row.type)) await refuseUnreadable(reader, row, place);
    return { ...moved, blob: await bytesOf(row, place, reader) };
  }
  const value = await valueOf(reader, row, place);
  if (mover.reencode && table.takesEmpty && isEmptyTrigger(row.channel, value))
    return { ...moved, type: EMPTY, blob: null };
  const stored = mover.reencode ? storedEngineValue(row.channel, value) : value;
  const to = table.placeOf(moved);
  return { ...moved, ...(await encodeValue(reader.serde, stored, to, to)) };
}

function isEncodedAnew({ type }: PageRow, { reader, reencode }: Mover): boolean {
  if (reencode) return type !== EMPTY;
  return type !== null && reader.serde.bindsToPlace?.(type) === true;
}

function valueOf(reader: ValueReader, { type, blob }: PageRow, place: ValueContext): Promise<unknown> {
  // Each value is a read of its own: none is in memory beside another.
  return decodeValue({ ...reader, read: {} }, storedValueOf(type, blob), place, place);
}

/**
 * Refuses a value that the serializer neither binds nor reads: it is bound by an `AesGcmSerializer`, and a copy of its bytes
 * could not be read. A value that the serializer reads is encrypted by a cipher of the same name, and bound to nothing.
 */
async function refuseUnreadable(reader: ValueReader, row: PageRow, place: ValueContext): Promise<void> {
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

async function bytesOf(row: PageRow, place: ValueContext, reader: ValueReader): Promise<Uint8Array | null> {
  const { blob, rowVersion } = storedValueOf(row.type, row.blob);
  return rowVersion === undefined ? blob : reader.fetch(place, rowVersion);
}

/** Collects rows, and stores them when they are many bytes. */
class Portion<Row extends { readonly blob: Uint8Array | null }> {
  readonly #store: (rows: readonly Row[]) => Promise<void>;
  #rows: Row[] = [];
  #bytes = 0;

  constructor(store: (rows: readonly Row[]) => Promise<void>) {
    this.#store = store;
  }

  async add(row: Row): Promise<void> {
    const length = row.blob?.byteLength ?? 0;
    // A long value goes by itself.
    if (this.#bytes + length > PORTION_BYTES || this.#rows.length >= PAGE_SIZE) await this.flush();
    this.#rows.push(row);
    this.#bytes += length;
  }

  /** Stores what is left. */
  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    await this.#store(this.#rows);
    this.#rows = [];
    this.#bytes = 0;
  }
}

function blobPlace(row: BlobPageRow) {
  const { thread_id: threadId, checkpoint_ns: checkpointNs, channel, version } = row;
  return { threadId, checkpointNs, channel, version };
}

function writePlace(row: WritePageRow) {
  const { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId } = row;
  return { threadId, checkpointNs, checkpointId, taskId: row.task_id, idx: row.idx, channel: row.channel };
}
