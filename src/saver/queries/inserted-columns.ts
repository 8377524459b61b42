/** The columns of `checkpoints` in the order of inserts. */
export const HEADER_COLUMNS = [
  "thread_id",
  "checkpoint_ns",
  "checkpoint_id",
  "parent_checkpoint_id",
  "checkpoint",
  "metadata",
] as const;

/** The columns of `checkpoint_writes` in the order of inserts. */
export const WRITE_COLUMNS = [
  "thread_id",
  "checkpoint_ns",
  "checkpoint_id",
  "task_id",
  "task_path",
  "idx",
  "channel",
  "type",
  "blob",
] as const;

/** The columns of `checkpoint_blobs` in the order of inserts. */
export const BLOB_COLUMNS = ["thread_id", "checkpoint_ns", "channel", "version", "type", "blob"] as const;

/** {@link BLOB_COLUMNS} and the columns of a splice, which are NULL for a whole value. */
export const SPLICED_BLOB_COLUMNS = [...BLOB_COLUMNS, "base", "whole_bytes"] as const;
