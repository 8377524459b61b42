import type { ChecksumLine } from "../parsing/backup-lines.js";
import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";

/** A row of `checkpoints`. JSONB columns are the text that Postgres prints. */
export interface CheckpointLine extends RestoredCheckpoint {
  readonly table: "checkpoints";
}

/** The value of a row: in base64, or, for a long value, the number of bytes that follow in lines of pieces. */
export type LineBytes = { readonly blob: string | null } | { readonly bytes: number };

/** The columns of a row of `checkpoint_blobs` without its value. */
export interface BlobColumns extends Omit<RestoredBlob, "blob"> {
  readonly table: "checkpoint_blobs";
}

/** The columns of a row of `checkpoint_writes` without its value. */
export interface WriteColumns extends Omit<RestoredWrite, "blob"> {
  readonly table: "checkpoint_writes";
}

/** A row of `checkpoint_blobs`. */
export type BlobLine = BlobColumns & LineBytes;
/** A row of `checkpoint_writes`. */
export type WriteLine = WriteColumns & LineBytes;

/** A piece of the value of the preceding row, in base64. */
export interface PieceLine {
  readonly piece: string;
}

/** Withdraws the preceding row: it was deleted while the export read its pieces. */
export interface CancelLine {
  readonly cancelled: true;
}

/** Ends a thread, with the number of its rows. */
export interface ThreadLine {
  readonly thread: string;
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
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
