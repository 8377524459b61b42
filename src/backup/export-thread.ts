import type { CallContext } from "../db/call-context.js";
import { DatabaseError } from "../errors/index.js";
import { rowKey } from "../saver/model/row-key.js";
import { getBackupPage, type PagePlace, type PageRow } from "./queries/get-backup-page.js";
import { type BlobKeyRow, getBlobKeys, getWriteKeys, type WriteKeyRow } from "./queries/get-value-keys.js";
import type { CheckpointLine, RowLine } from "./backup-line.js";
import { exportBlobs, exportWrites } from "./export-values.js";

/** How many checkpoints are read as of one moment. */
const PAGE_ROWS = 1_000;
/** How many bytes their headers may have together, as they are stored. */
const PAGE_BYTES = 8 * 2 ** 20;
/** How many keys of values are read at a time, where no checkpoint leads to them. */
const KEY_ROWS = 10_000;
/** How often a page is read anew of which something was deleted before its values were read. */
const MAX_READS = 10;

/** What was written out of a thread already: keys, no values. */
interface Written {
  readonly checkpoints: Set<string>;
  readonly blobs: Set<string>;
}

/**
 * Writes out all rows of a thread: its checkpoints in pages, the newest first, each page after the values and writes that
 * belong to it; then what belongs to none.
 */
export async function* exportThread(call: CallContext, threadId: string): AsyncGenerator<RowLine> {
  const written: Written = { checkpoints: new Set(), blobs: new Set() };
  let before: PagePlace | undefined;
  do {
    before = yield* exportPage(call, threadId, before, written);
  } while (before !== undefined);
  yield* exportStrayBlobs(call, threadId, written);
  yield* exportStrayWrites(call, threadId, written);
}

/** @returns Where the next page begins; `undefined` where there is none. */
async function* exportPage(
  call: CallContext,
  threadId: string,
  before: PagePlace | undefined,
  written: Written,
): AsyncGenerator<RowLine, PagePlace | undefined> {
  const writes = new Set<string>();
  for (let read = 1; read <= MAX_READS; read++) {
    const rows = await getBackupPage(call, { threadId, before, rows: PAGE_ROWS, bytes: PAGE_BYTES });
    const isWhole =
      (yield* exportBlobs(call, threadId, blobsOf(rows), written.blobs)) &&
      (yield* exportWrites(call, threadId, writesOf(rows), writes));
    if (!isWhole) continue;
    const checkpoints = checkpointsOf(threadId, rows);
    for (const line of checkpoints) {
      written.checkpoints.add(rowKey(line.checkpoint_ns, line.checkpoint_id));
      yield line;
    }
    const last = checkpoints.at(-1);
    return last && { checkpointId: last.checkpoint_id, checkpointNs: last.checkpoint_ns };
  }
  throw new DatabaseError(`thread "${threadId}": its rows are deleted faster than they can be read`, {
    threadId,
    transient: true,
  });
}

/** Blobs that no checkpoint refers to, as of writers that were killed, or of older versions of savers. */
async function* exportStrayBlobs(
  call: CallContext,
  threadId: string,
  { blobs }: Written,
): AsyncGenerator<RowLine> {
  let keys: BlobKeyRow[] = [];
  do {
    keys = await getBlobKeys(call, threadId, keys.at(-1), KEY_ROWS);
    // What is gone meanwhile belongs to nothing.
    yield* exportBlobs(call, threadId, keys, blobs);
  } while (keys.length === KEY_ROWS);
}

/** Writes beside checkpoints that are not stored, or not yet. */
async function* exportStrayWrites(
  call: CallContext,
  threadId: string,
  { checkpoints }: Written,
): AsyncGenerator<RowLine> {
  let keys: WriteKeyRow[] = [];
  do {
    keys = await getWriteKeys(call, threadId, keys.at(-1), KEY_ROWS);
    const stray = keys.filter((key) => !checkpoints.has(rowKey(key.checkpoint_ns, key.checkpoint_id)));
    yield* exportWrites(call, threadId, stray, new Set());
  } while (keys.length === KEY_ROWS);
}

function checkpointsOf(threadId: string, rows: readonly PageRow[]): CheckpointLine[] {
  return rows
    .filter(({ part }) => part === "checkpoint")
    .map((row) => ({
      table: "checkpoints",
      thread_id: threadId,
      checkpoint_ns: row.checkpoint_ns,
      checkpoint_id: row.checkpoint_id ?? "",
      parent_checkpoint_id: row.parent_checkpoint_id,
      type: row.type,
      checkpoint: row.checkpoint,
      metadata: row.metadata,
    }));
}

function blobsOf(rows: readonly PageRow[]): BlobKeyRow[] {
  return rows
    .filter(({ part }) => part === "blob")
    .map(({ checkpoint_ns, channel, version, bytes }) => ({
      checkpoint_ns,
      channel: channel ?? "",
      version: version ?? "",
      bytes,
    }));
}

function writesOf(rows: readonly PageRow[]): WriteKeyRow[] {
  return rows
    .filter(({ part }) => part === "write")
    .map(({ checkpoint_ns, checkpoint_id, task_id, idx, bytes }) => ({
      checkpoint_ns,
      checkpoint_id: checkpoint_id ?? "",
      task_id: task_id ?? "",
      idx: idx ?? 0,
      bytes,
    }));
}
