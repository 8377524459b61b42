/** The columns of `checkpoints` in the order of inserts. */
export const HEADER_COLUMNS = [
  "thread_id",
  "checkpoint_ns",
  "checkpoint_id",
  "parent_checkpoint_id",
  "checkpoint",
  "metadata",
] as const;

/** The columns of `checkpoint_writes` after the first one. */
export const WRITE_COLUMNS_OF_THREAD = [
  "checkpoint_ns",
  "checkpoint_id",
  "task_id",
  "task_path",
  "idx",
  "channel",
  "type",
  "blob",
] as const;

/** The columns of `checkpoint_writes` in the order of inserts. */
export const WRITE_COLUMNS = ["thread_id", ...WRITE_COLUMNS_OF_THREAD] as const;

/** The columns of `checkpoint_blobs` in the order of inserts. */
export const BLOB_COLUMNS = ["thread_id", "checkpoint_ns", "channel", "version", "type", "blob"] as const;

/** {@link BLOB_COLUMNS} and the columns of a splice, which are NULL for a whole value. */
export const SPLICED_BLOB_COLUMNS = [...BLOB_COLUMNS, "base", "whole_bytes"] as const;

/** {@link SPLICED_BLOB_COLUMNS} after the first one. */
export const BLOB_COLUMNS_OF_THREAD = [
  "checkpoint_ns",
  "channel",
  "version",
  "type",
  "blob",
  "base",
  "whole_bytes",
] as const;
