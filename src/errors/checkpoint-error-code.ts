/**
 * The codes of all errors of this library. Each code stands for one kind of error, and stays the same across versions; a later version may
 * have more.
 *
 * @example
 * ```ts
 * const retried: ReadonlySet<CheckpointErrorCode> = new Set(["CONNECTION_FAILED", "THREAD_LOCKED"]); // a typo does not compile
 * ```
 */
export type CheckpointErrorCode =
  | "ABORTED"
  | "ARCHIVE_FAILED"
  | "BACKUP_REFUSED"
  | "BATCH_ENDED"
  | "BROKEN_CHAIN"
  | "CHECKPOINT_NOT_FOUND"
  | "CHECKPOINT_SCHEMA"
  | "CHECKPOINT_TOO_LARGE"
  | "CHECKPOINT_VERSION"
  | "CLOCK_BEHIND"
  | "CLOSED_PIPE"
  | "CONCURRENT_MODIFICATION"
  | "CONNECTION_FAILED"
  | "COPY_FAILED"
  | "CORRUPT_CHECKPOINT"
  | "DATABASE_ERROR"
  | "DESERIALIZATION_FAILED"
  | "EMBEDDING_MISMATCH"
  | "INCOMPATIBLE_TABLES"
  | "INVALID_CONFIG"
  | "INVALID_EMBEDDING"
  | "ITEM_NOT_FOUND"
  | "ITEM_SCHEMA"
  | "MIGRATION_FAILED"
  | "MIGRATION_REQUIRED"
  | "MISSING_PARENTS"
  | "MODEL_TOO_SLOW"
  | "NOT_REPLICATED"
  | "OUTPUT_FAILED"
  | "PERMISSION_DENIED"
  | "ROWS_HIDDEN"
  | "ROW_SECURITY_INACTIVE"
  | "SERIALIZATION_FAILED"
  | "STATEMENT_TIMEOUT"
  | "THREAD_COPY_FAILED"
  | "THREAD_DELETED"
  | "THREAD_EXISTS"
  | "THREAD_LOCKED"
  | "THREAD_LOCK_LOST"
  | "VECTORS_CHANGED"
  | "VECTOR_EXTENSION_MISSING"
  | "VERSION_CONFLICT"
  | "WRITES_MISSING";
