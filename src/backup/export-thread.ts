import { DatabaseError } from "../errors/index.js";
import { chunksOf } from "../saver/model/portions.js";
import { rowKey } from "../saver/model/keys.js";
import { getThreadPage, type PageRange, type BackupPageRow } from "./queries/get-backup-page.js";
import {
  type PageCursor,
  type BlobKeyRow,
  getBlobKeys,
  getWriteKeys,
  type WriteKeyRow,
  nextCheckpoint,
} from "./queries/get-row-keys.js";
import { isLostRow, type ExportCall } from "./lost-rows.js";
import type { CheckpointLine, RowLine } from "./backup-line.js";
import { exportBlobs, exportWrites } from "./export-values.js";

/** The most checkpoints that one statement reads. */
const PAGE_ROWS = 1_000;
/** The most bytes of headers that one statement reads, by their stored size. */
const PAGE_BYTES = 8 * 2 ** 20;
/** The most keys that one statement reads. */
const KEY_ROWS = 1_000;
/** The size at which an orphaned value counts, so that a statement reads few of them: their sizes are not known. */
const ASSUMED_BYTES = 2 ** 18;
/** How often the export rereads a page when a concurrent deletion removed some of its values. */
const MAX_PAGE_READS = 10;

/** The keys of the rows of a thread that are exported already. */
interface ExportedKeys {
  readonly checkpoints: Set<string>;
  readonly blobs: Set<string>;
}

/**
 * Exports all rows of a thread: first its checkpoints in pages, the newest first, each page after its values and writes;
 * then the values and writes without a checkpoint.
 */
export async function* exportThread(call: ExportCall, threadId: string): AsyncGenerator<RowLine> {
  const exported: ExportedKeys = { checkpoints: new Set(), blobs: new Set() };
  let after: PageCursor | undefined;
  do {
    after = (yield* exportPage(call, { threadId, after }, exported)).at(-1);
  } while (after !== undefined);
  yield* exportUnreferencedBlobs(call, threadId, exported);
  yield* exportUnreferencedWrites(call, threadId, exported);
}

/** The rows of a thread to export. */
export interface ThreadPart {
  /** Checkpoints, which are exported with their values and writes. */
  readonly checkpoints: readonly PageCursor[];
  /** Checkpoints without a row, whose writes are exported. */
  readonly orphans: readonly PageCursor[];
  /** Values that no checkpoint references. */
  readonly blobs: readonly Omit<BlobKeyRow, "bytes">[];
}

/** Exports a part of a thread as {@link exportThread} does. Leaves out what is no longer stored. */
export async function* exportPart(
  call: ExportCall,
  threadId: string,
  part: ThreadPart,
): AsyncGenerator<RowLine> {
  const exported: ExportedKeys = { checkpoints: new Set(), blobs: new Set() };
  for (const chunk of chunksOf(part.checkpoints, KEY_ROWS)) {
    let keys = chunk;
    let page: readonly PageCursor[] = [];
    do {
      page = yield* exportPage(call, { threadId, keys }, exported);
      keys = keys.filter((key) => !exported.checkpoints.has(rowKey(key.checkpointNs, key.checkpointId)));
    } while (page.length > 0 && keys.length > 0);
  }
  const orphans = new Set(part.orphans.map((key) => rowKey(key.checkpointNs, key.checkpointId)));
  if (orphans.size > 0) yield* exportWritesOf(call, threadId, (key) => orphans.has(key));
  const blobs = part.blobs.map((key) => ({ ...key, bytes: ASSUMED_BYTES }));
  yield* exportStored(() => exportBlobs(call, threadId, blobs, exported.blobs));
}

/**
 * Exports values or writes that have no checkpoint. Those that were replaced while they were read are read again. The others that are
 * missing were deleted, and the export may leave them out.
 */
async function* exportStored(read: () => AsyncGenerator<RowLine, boolean>): AsyncGenerator<RowLine> {
  if (!(yield* read())) yield* read();
}

type Range = Omit<PageRange, "rows" | "bytes">;

/** @returns The checkpoints of the page; none after the last page. */
async function* exportPage(
  call: ExportCall,
  range: Range,
  exported: ExportedKeys,
): AsyncGenerator<RowLine, readonly PageCursor[]> {
  const { threadId } = range;
  const writes = new Set<string>();
  for (let read = 1; read <= MAX_PAGE_READS; read++) {
    const rows = await readPage(call, range);
    if ("checkpointId" in rows) return [rows];
    const isComplete =
      (yield* exportBlobs(call, threadId, partsOf(rows, "blob"), exported.blobs)) &&
      (yield* exportWrites(call, threadId, partsOf(rows, "write"), writes));
    if (!isComplete) continue;
    const checkpoints = checkpointsOf(threadId, rows);
    for (const line of checkpoints) {
      exported.checkpoints.add(rowKey(line.checkpoint_ns, line.checkpoint_id));
      yield line;
    }
    return checkpoints.map((line) => ({
      checkpointId: line.checkpoint_id,
      checkpointNs: line.checkpoint_ns,
    }));
  }
  throw new DatabaseError(
    `thread "${threadId}": concurrent deletions removed rows faster than the export could read them`,
    {
      threadId,
      transient: true,
    },
  );
}

/** @returns The rows of a page, or the key of its first checkpoint if the server can't read that. */
async function readPage(call: ExportCall, range: Range): Promise<readonly BackupPageRow[] | PageCursor> {
  const { threadId, after } = range;
  const read = (rows: number) => getThreadPage(call, { ...range, rows, bytes: PAGE_BYTES });
  try {
    return await read(PAGE_ROWS);
  } catch (error) {
    if (call.onDamaged === undefined || !isLostRow(error)) throw error;
  }
  try {
    return await read(1);
  } catch (error) {
    if (!isLostRow(error)) throw error;
    const key = await nextCheckpoint(call, threadId, after);
    if (key === undefined) return [];
    call.onDamaged({ threadId, ...key, reason: error.message });
    return key;
  }
}

/** Exports the blobs that no checkpoint references: left by killed writers or by older versions of savers. */
async function* exportUnreferencedBlobs(
  call: ExportCall,
  threadId: string,
  { blobs }: ExportedKeys,
): AsyncGenerator<RowLine> {
  let keys: BlobKeyRow[] = [];
  do {
    keys = await getBlobKeys(call, threadId, keys.at(-1), KEY_ROWS);
    const page = keys;
    yield* exportStored(() => exportBlobs(call, threadId, page, blobs));
  } while (keys.length === KEY_ROWS);
}

/** Exports the writes whose checkpoint is not stored, or not stored yet. */
async function* exportUnreferencedWrites(
  call: ExportCall,
  threadId: string,
  { checkpoints }: ExportedKeys,
): AsyncGenerator<RowLine> {
  yield* exportWritesOf(call, threadId, (key) => !checkpoints.has(key));
}

/** Exports the writes of the checkpoints that `isMeant` selects by their row keys. */
async function* exportWritesOf(
  call: ExportCall,
  threadId: string,
  isMeant: (checkpoint: string) => boolean,
): AsyncGenerator<RowLine> {
  let keys: WriteKeyRow[] = [];
  do {
    keys = await getWriteKeys(call, threadId, keys.at(-1), KEY_ROWS);
    const meant = keys.filter((key) => isMeant(rowKey(key.checkpoint_ns, key.checkpoint_id)));
    const exported = new Set<string>();
    yield* exportStored(() => exportWrites(call, threadId, meant, exported));
  } while (keys.length === KEY_ROWS);
}

function checkpointsOf(threadId: string, rows: readonly BackupPageRow[]): CheckpointLine[] {
  return partsOf(rows, "checkpoint").map((row) => ({
    table: "checkpoints",
    thread_id: threadId,
    checkpoint_ns: row.checkpoint_ns,
    checkpoint_id: row.checkpoint_id,
    parent_checkpoint_id: row.parent_checkpoint_id,
    type: row.type,
    checkpoint: row.checkpoint,
    metadata: row.metadata,
  }));
}

function partsOf<Part extends BackupPageRow["part"]>(rows: readonly BackupPageRow[], part: Part) {
  return rows.filter((row): row is Extract<BackupPageRow, { readonly part: Part }> => row.part === part);
}
