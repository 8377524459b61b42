import type { Damage, DatabaseError } from "../errors/index.js";
import { blobPlaceOf, writePlaceOf } from "../saver/queries/get-value-page.js";
import type { CheckpointValueContext } from "../serde/serde-context.js";
import { rowKey } from "../saver/model/keys.js";
import { getPiece, type PieceRange, type PieceRow } from "../saver/queries/get-piece.js";
import type { BlobKeyRow, WriteKeyRow } from "./queries/get-row-keys.js";
import { getStoredBlobs, getStoredWrites } from "./queries/get-stored-rows.js";
import { portionsOf } from "../saver/model/portions.js";
import { pieceBytesOf } from "../db/call-context.js";
import { LEFT_OUT } from "../saver/queries/sent-row.js";
import { type ExportCall, readEach, isLostRow } from "./lost-rows.js";
import type { BlobLineColumns, RowLine, WriteLineColumns } from "./backup-line.js";

/** What one statement reads at most. */
const PORTION = { rows: 1_000, size: 4 * 2 ** 20 };
/**
 * The most characters of base64 in a line: 1,024 lines of 77 characters, as Postgres breaks base64, which encode 57 KiB. A
 * line is copied several times, and V8 frees strings below 128 KiB early.
 */
const PIECE_LENGTH = 77 * 2 ** 10;

/**
 * Exports the blobs with these keys and the values that they are made of, except those in `exported`, and adds their keys to it. It
 * leaves out those that are deleted meanwhile.
 *
 * @returns Whether all of them were still stored.
 */
export async function* exportBlobs(
  call: ExportCall,
  threadId: string,
  keys: readonly BlobKeyRow[],
  exported: Set<string>,
): AsyncGenerator<RowLine, boolean> {
  const keyOf = (row: Omit<BlobKeyRow, "bytes">) => rowKey(row.checkpoint_ns, row.channel, row.version);
  const byKey = new Map(keys.map((key) => [keyOf(key), key]));
  const missing = [...byKey].flatMap(([id, key]) => (exported.has(id) ? [] : [key]));
  let hasBases = true;
  const onLost = noteLost(call, (key: BlobKeyRow) => {
    // It is not read again.
    exported.add(keyOf(key));
    return { threadId, checkpointNs: key.checkpoint_ns, channel: key.channel, version: key.version };
  });
  for (const portion of portionsOf(missing, sizeOf, PORTION)) {
    const bases: BlobKeyRow[] = [];
    const rows = await readEach(portion, (keys) => getStoredBlobs(call, threadId, keys), onLost);
    for (const { type, blob, base, whole_bytes, ...key } of rows) {
      const columns: BlobLineColumns = {
        ...{ table: "checkpoint_blobs", thread_id: threadId, ...key, type },
        // Whole values have the columns that older versions know.
        ...(base !== null && { base }),
        ...(whole_bytes !== null && { whole_bytes }),
      };
      if (!(yield* exportValue(call, columns, blobPlaceOf(columns), blob))) continue;
      exported.add(keyOf(key));
      if (base !== null) bases.push({ ...key, version: base, bytes: null });
    }
    if (bases.length > 0 && !(yield* exportBlobs(call, threadId, bases, exported))) hasBases = false;
  }
  return hasBases && missing.every((key) => exported.has(keyOf(key)));
}

/** Exports the writes with these keys, as {@link exportBlobs} does with blobs. */
export async function* exportWrites(
  call: ExportCall,
  threadId: string,
  keys: readonly WriteKeyRow[],
  exported: Set<string>,
): AsyncGenerator<RowLine, boolean> {
  const keyOf = (row: Omit<WriteKeyRow, "bytes">) =>
    rowKey(row.checkpoint_ns, row.checkpoint_id, row.task_id, String(row.idx));
  const missing = keys.filter((key) => !exported.has(keyOf(key)));
  const onLost = noteLost(call, (key: WriteKeyRow) => {
    exported.add(keyOf(key));
    return { threadId, checkpointNs: key.checkpoint_ns, checkpointId: key.checkpoint_id };
  });
  for (const portion of portionsOf(missing, sizeOf, PORTION)) {
    const rows = await readEach(portion, (keys) => getStoredWrites(call, threadId, keys), onLost);
    for (const { blob, ...row } of rows) {
      const columns: WriteLineColumns = { table: "checkpoint_writes", thread_id: threadId, ...row };
      if (!(yield* exportValue(call, columns, writePlaceOf(columns), blob))) continue;
      exported.add(keyOf(row));
    }
  }
  return missing.every((key) => exported.has(keyOf(key)));
}

/** Receives the key of a row that can't be read, and tells the caller of the export its place. Absent where nobody listens. */
function noteLost<Key>({ onDamaged }: ExportCall, placeOf: (key: Key) => Omit<Damage, "reason">) {
  return (
    onDamaged &&
    ((key: Key, { message }: DatabaseError): void => {
      onDamaged({ ...placeOf(key), reason: message });
    })
  );
}

/** @returns Whether the row was still stored when its last piece was read, or can't be read. */
async function* exportValue(
  call: ExportCall,
  columns: BlobLineColumns | WriteLineColumns,
  place: CheckpointValueContext,
  sent: string | null,
): AsyncGenerator<RowLine, boolean> {
  if (sent?.startsWith(LEFT_OUT) !== true) {
    yield { ...columns, blob: sent === null ? null : inOneLine(sent) };
    return true;
  }
  const pieceBytes = pieceBytesOf(call);
  let rowVersion = sent.slice(LEFT_OUT.length);
  for (let offset = 0, total = 1; offset < total; offset += pieceBytes) {
    const row = await readPiece(call, place, { rowVersion, offset, pieceBytes });
    if (row === undefined || row === "lost") {
      if (offset > 0) yield { cancelled: true };
      return row === "lost";
    }
    if (offset === 0) yield { ...columns, bytes: row.total };
    total = row.total;
    rowVersion = row.row_version;
    for (let start = 0; start < row.piece.length; start += PIECE_LENGTH) {
      yield { piece: inOneLine(row.piece.slice(start, start + PIECE_LENGTH)) };
    }
  }
  return true;
}

async function readPiece(
  call: ExportCall,
  place: CheckpointValueContext,
  range: PieceRange,
): Promise<PieceRow | "lost" | undefined> {
  try {
    return await getPiece(call, place, range);
  } catch (error) {
    if (call.onDamaged === undefined || !isLostRow(error)) throw error;
    const { threadId, checkpointNs, channel } = place;
    const row = "version" in place ? { version: place.version } : { checkpointId: place.checkpointId };
    call.onDamaged({ threadId, checkpointNs, channel, ...row, reason: error.message });
    return "lost";
  }
}

function sizeOf({ bytes }: { readonly bytes: number | null }): number {
  return bytes ?? 0;
}

/** Removes the line breaks that Postgres puts into base64, as MIME does. */
function inOneLine(base64: string): string {
  return base64.replaceAll("\n", "");
}
