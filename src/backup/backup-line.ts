import { rowKey, type CheckpointKey } from "../saver/model/keys.js";
import { type ChecksumLine, type BackupKind, parseFields } from "../parsing/backup-lines.js";
import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";
import type { StoredConversation } from "../saver/queries/conversations-of-threads.js";
import { numberOfRows } from "../saver/model/row-counts.js";
import { z } from "zod";
import { BackupError } from "./backup-error.js";
import { CorruptCheckpointError } from "../errors/index.js";
import { type HeaderColumns, readHeader, type ReadHeader } from "../saver/codec/parse-header.js";

/** A row of `checkpoints`. JSONB columns are the text that Postgres prints. */
export interface CheckpointLine extends RestoredCheckpoint {
  readonly table: "checkpoints";
}

/** The value of a row: in base64, or, for a long value, the number of bytes that follow in lines of pieces. */
type LineBytes = { readonly blob: string | null } | { readonly bytes: number };

/** The columns of a row of `checkpoint_blobs` without its value. */
export interface BlobLineColumns extends Omit<RestoredBlob, "blob"> {
  readonly table: "checkpoint_blobs";
}

/** The columns of a row of `checkpoint_writes` without its value. */
export interface WriteLineColumns extends Omit<RestoredWrite, "blob"> {
  readonly table: "checkpoint_writes";
}

/** A row of `checkpoint_blobs`. */
export type BlobLine = BlobLineColumns & LineBytes;
/** A row of `checkpoint_writes`. */
export type WriteLine = WriteLineColumns & LineBytes;

/** A piece of the value of the preceding row, in base64. */
interface PieceLine {
  readonly piece: string;
}

/** Withdraws the preceding row: it was deleted while the export read its pieces. */
interface CancelLine {
  readonly cancelled: true;
}

/** Ends a thread, with the number of its rows, and with its conversation where it has one. */
export interface ThreadLine extends RowNumbers {
  readonly thread: string;
  readonly conversation?: StoredConversation | undefined;
}

interface RowNumbers {
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
}

/** Whether a backup holds something of a thread. Otherwise the thread was gone. */
export function holdsThread(line: ThreadLine): boolean {
  return numberOfRows(line) > 0 || line.conversation !== undefined;
}

/** The number of threads and rows in a backup, and the bytes of all values. */
export interface BackupCounts {
  readonly threads: number;
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
  readonly bytes: number;
}

/** The last line of a backup. */
export interface LastLine extends ChecksumLine {
  readonly end: BackupCounts & ChecksumLine["end"];
}

/** A line between the first and the last. */
export type RowLine = CheckpointLine | BlobLine | WriteLine | PieceLine | CancelLine | ThreadLine;

type KeyedRow =
  | Pick<CheckpointLine, "table" | "checkpoint_ns" | "checkpoint_id">
  | Pick<BlobLineColumns, "table" | "checkpoint_ns" | "channel" | "version">
  | Pick<WriteLineColumns, "table" | "checkpoint_ns" | "checkpoint_id" | "task_id" | "idx">;

/** Identifies a row among those of its thread in all tables. */
export function keyOfRow(row: KeyedRow): string {
  const place = [row.table, row.checkpoint_ns];
  switch (row.table) {
    case "checkpoints":
      return rowKey(...place, row.checkpoint_id);
    case "checkpoint_blobs":
      return rowKey(...place, row.channel, row.version);
    case "checkpoint_writes":
      return rowKey(...place, row.checkpoint_id, row.task_id, String(row.idx));
  }
}

/** Backups of threads. */
export const THREAD_BACKUP: BackupKind = {
  format: "langgraph-checkpoint-backup",
  version: 1,
  content: "LangGraph checkpoints",
  refuse: (problem, options) => new BackupError(problem, options),
};

/** The longest value that Postgres can store. */
const MAX_VALUE_BYTES = 2 ** 30;

const text = z.string().nullable();
// No further checks: the database knows which text a key column can hold.
const key = z.string();
const namespace = { thread_id: key, checkpoint_ns: key };

const blob = z.strictObject({
  table: z.literal("checkpoint_blobs"),
  ...namespace,
  channel: key,
  version: key,
  type: text,
  base: key.nullish(),
  // A backup is a copy of rows, damaged ones among them: whatever the column can hold.
  whole_bytes: z.int32().nullish(),
});
const write = z.strictObject({
  table: z.literal("checkpoint_writes"),
  ...namespace,
  checkpoint_id: key,
  task_id: key,
  task_path: text,
  idx: z.int32(),
  channel: key,
  type: text,
});
const whole = { blob: text };
const inPieces = { bytes: z.int().min(1).max(MAX_VALUE_BYTES) };

const checkpoint = z.strictObject({
  table: z.literal("checkpoints"),
  ...namespace,
  checkpoint_id: key,
  parent_checkpoint_id: key.nullable(),
  type: text,
  checkpoint: text,
  metadata: text,
});

const count = z.int().min(0);
const counts = { checkpoints: count, writes: count, blobs: count };
const piece = z.strictObject({ piece: z.string() });
const cancelled = z.strictObject({ cancelled: z.literal(true) });
const conversation = z.strictObject({
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  metadata: z.string(),
});
const thread = z.strictObject({ thread: key, ...counts, conversation: conversation.optional() });
const last = z.strictObject({
  end: z.strictObject({ threads: count, ...counts, bytes: count, sha256: z.string() }),
});

/**
 * Parses any line but the first.
 *
 * @param value - What the line holds.
 * @param number - The number of the line, from 1.
 * @throws BackupError when the line is damaged.
 */
export function parseLine(value: unknown, number: number): RowLine | LastLine {
  return parseFields(THREAD_BACKUP, schemaOf(value), value, number);
}

// Selects the schema by the kind of the line, so that an error names what is wrong with that kind.
function schemaOf(value: unknown): z.ZodType<RowLine | LastLine> {
  if (typeof value !== "object" || value === null) return last;
  const table = "table" in value ? value.table : undefined;
  if (table === "checkpoints") return checkpoint;
  if (table === "checkpoint_blobs") return "bytes" in value ? blobInPieces : wholeBlob;
  if (table === "checkpoint_writes") return "bytes" in value ? writeInPieces : wholeWrite;
  if ("piece" in value) return piece;
  if ("cancelled" in value) return cancelled;
  return "thread" in value ? thread : last;
}

const wholeBlob = blob.extend(whole);
const blobInPieces = blob.extend(inPieces);
const wholeWrite = write.extend(whole);
const writeInPieces = write.extend(inPieces);

/**
 * Reads the header and the metadata of a checkpoint.
 *
 * @throws UnreadableError when the row holds no checkpoint, or another one.
 */
export async function readOwnHeader(columns: HeaderColumns, key: CheckpointKey): Promise<ReadHeader> {
  const read = await readHeader(columns, key);
  if (read.header.id === key.checkpointId) return read;
  throw new CorruptCheckpointError(`its header is that of checkpoint "${read.header.id}"`, key);
}
