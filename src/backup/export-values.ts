import type { CallContext } from "../db/call-context.js";
import type { ValueContext } from "../serde/serde-context.js";
import { rowKey } from "../saver/model/row-key.js";
import { getPiece } from "../saver/queries/get-piece.js";
import { getStoredBlobs, getStoredWrites } from "./queries/get-stored-rows.js";
import type { BlobKeyRow, WriteKeyRow } from "./queries/get-value-keys.js";
import { LEFT_OUT, pieceBytesOf } from "../saver/queries/sent-bytes.js";
import type { BlobColumns, RowLine, WriteColumns } from "./backup-line.js";

/** How many bytes of values, and how many of them, one statement brings. */
const PORTION_BYTES = 4 * 2 ** 20;
const PORTION_ROWS = 1_000;
/**
 * How many characters of base64 a line has: whole lines of Postgres, of 77 characters each, which stand for 57 KiB. A line is
 * copied several times on its way, and V8 frees strings of less than 128 KiB soon.
 */
const PIECE_LENGTH = 77 * 2 ** 10;

/**
 * Writes out the blobs with these keys, but those that are `written` already, and notes them there.
 *
 * @returns Whether all of them were still there.
 */
export async function* exportBlobs(
  call: CallContext,
  threadId: string,
  keys: readonly BlobKeyRow[],
  written: Set<string>,
): AsyncGenerator<RowLine, boolean> {
  const keyOf = (row: Omit<BlobKeyRow, "bytes">) => rowKey(row.checkpoint_ns, row.channel, row.version);
  const missing = keys.filter((key) => !written.has(keyOf(key)));
  for (const portion of portionsOf(missing)) {
    for (const { type, blob, ...key } of await getStoredBlobs(call, threadId, portion)) {
      const columns: BlobColumns = { table: "checkpoint_blobs", thread_id: threadId, ...key, type };
      const { checkpoint_ns: checkpointNs, channel, version } = key;
      const place = { threadId, checkpointNs, channel, version };
      if (!(yield* exportValue(call, columns, place, blob))) return false;
      written.add(keyOf(key));
    }
  }
  return missing.every((key) => written.has(keyOf(key)));
}

/** As {@link exportBlobs}, of writes. */
export async function* exportWrites(
  call: CallContext,
  threadId: string,
  keys: readonly WriteKeyRow[],
  written: Set<string>,
): AsyncGenerator<RowLine, boolean> {
  const keyOf = (row: Omit<WriteKeyRow, "bytes">) =>
    rowKey(row.checkpoint_ns, row.checkpoint_id, row.task_id, String(row.idx));
  const missing = keys.filter((key) => !written.has(keyOf(key)));
  for (const portion of portionsOf(missing)) {
    for (const { blob, ...row } of await getStoredWrites(call, threadId, portion)) {
      const columns: WriteColumns = { table: "checkpoint_writes", thread_id: threadId, ...row };
      const { checkpoint_ns: checkpointNs, checkpoint_id: checkpointId, task_id: taskId, idx, channel } = row;
      const place = { threadId, checkpointNs, checkpointId, taskId, idx, channel };
      if (!(yield* exportValue(call, columns, place, blob))) return false;
      written.add(keyOf(row));
    }
  }
  return missing.every((key) => written.has(keyOf(key)));
}

/** @returns Whether it was there to its end. */
async function* exportValue(
  call: CallContext,
  columns: BlobColumns | WriteColumns,
  place: ValueContext,
  sent: string | null,
): AsyncGenerator<RowLine, boolean> {
  if (sent?.startsWith(LEFT_OUT) !== true) {
    yield { ...columns, blob: sent === null ? null : inOneLine(sent) };
    return true;
  }
  const [rowVersion, pieceBytes] = [sent.slice(LEFT_OUT.length), pieceBytesOf(call)];
  for (let offset = 0, total = 1; offset < total; offset += pieceBytes) {
    const row = await getPiece(call, place, { rowVersion, offset, pieceBytes });
    if (row === undefined) {
      if (offset > 0) yield { cancelled: true };
      return false;
    }
    if (offset === 0) yield { ...columns, bytes: row.total };
    total = row.total;
    for (let start = 0; start < row.piece.length; start += PIECE_LENGTH) {
      yield { piece: inOneLine(row.piece.slice(start, start + PIECE_LENGTH)) };
    }
  }
  return true;
}

/** Postgres breaks base64 into lines, as mail has it. */
function inOneLine(base64: string): string {
  return base64.replaceAll("\n", "");
}

/** Keys in their order, in portions whose values are not too many to be held at a time. */
function* portionsOf<Key extends { readonly bytes: number | null }>(keys: readonly Key[]): Generator<Key[]> {
  let portion: Key[] = [];
  let bytes = 0;
  for (const key of keys) {
    const length = key.bytes ?? 0;
    if (portion.length === PORTION_ROWS || (portion.length > 0 && bytes + length > PORTION_BYTES)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(key);
    bytes += length;
  }
  if (portion.length > 0) yield portion;
}
