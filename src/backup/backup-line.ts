import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";

/** What the first line of a backup says it is. */
export const BACKUP_FORMAT = "langgraph-checkpoint-backup";
/** The version of the format. A reader refuses what is newer than itself. */
export const BACKUP_VERSION = 1;

/** The first line. */
export interface FirstLine {
  readonly format: typeof BACKUP_FORMAT;
  readonly version: number;
}

/** A row of `checkpoints`, its JSONB as the text that Postgres prints. */
export interface CheckpointLine extends RestoredCheckpoint {
  readonly table: "checkpoints";
}

/** The bytes of a row: in base64, or, where they are very many, how many of them follow in lines of their own. */
export type LineBytes = { readonly blob: string | null } | { readonly bytes: number };

/** A row of `checkpoint_blobs`, as far as it is no bytes. */
export interface BlobColumns extends Omit<RestoredBlob, "blob"> {
  readonly table: "checkpoint_blobs";
}

/** A row of `checkpoint_writes`, as far as it is no bytes. */
export interface WriteColumns extends Omit<RestoredWrite, "blob"> {
  readonly table: "checkpoint_writes";
}

/** A row of `checkpoint_blobs`. */
export type BlobLine = BlobColumns & LineBytes;
/** A row of `checkpoint_writes`. */
export type WriteLine = WriteColumns & LineBytes;

/** A part of the bytes of the row before it, in base64. */
export interface PieceLine {
  readonly piece: string;
}

/** The row whose pieces came before was deleted while it was read: it is no part of the backup. */
export interface CancelLine {
  readonly cancelled: true;
}

/** The end of a thread. */
export interface ThreadLine {
  readonly thread: string;
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
}

/** How many rows there are in all, and the bytes of their values. */
export interface BackupCounts {
  readonly threads: number;
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
  readonly bytes: number;
}

/** The last line. */
export interface LastLine {
  readonly end: BackupCounts & {
    /** Of all lines before, each with a line feed after it, in hexadecimal. */
    readonly sha256: string;
  };
}

/** A line between the first and the last one. */
export type RowLine = CheckpointLine | BlobLine | WriteLine | PieceLine | CancelLine | ThreadLine;
