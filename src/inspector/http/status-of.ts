import { types } from "node:util";
import { CheckpointError, type CheckpointErrorCode } from "../../errors/index.js";
import { RefusedError } from "../refused-error.js";

/** The status of each of our errors. 500 is for what the application or its operator has to mend. */
const STATUSES: Readonly<Record<CheckpointErrorCode, number>> = {
  ABORTED: 503,
  ARCHIVE_FAILED: 500,
  BACKUP_REFUSED: 400,
  BATCH_ENDED: 500,
  BROKEN_CHAIN: 422,
  CHECKPOINT_NOT_FOUND: 404,
  CHECKPOINT_SCHEMA: 422,
  CHECKPOINT_TOO_LARGE: 413,
  CHECKPOINT_VERSION: 409,
  CLOCK_BEHIND: 503,
  CLOSED_PIPE: 500,
  CONCURRENT_MODIFICATION: 409,
  CONNECTION_FAILED: 503,
  COPY_FAILED: 500,
  CORRUPT_CHECKPOINT: 422,
  DATABASE_ERROR: 500,
  DESERIALIZATION_FAILED: 422,
  DISK_FULL: 503,
  EMBEDDING_MISMATCH: 500,
  INCOMPATIBLE_TABLES: 500,
  INVALID_CONFIG: 400,
  INVALID_EMBEDDING: 500,
  ITEM_NOT_FOUND: 404,
  ITEM_SCHEMA: 400,
  MIGRATION_FAILED: 500,
  MIGRATION_REQUIRED: 500,
  MISSING_PARENTS: 500,
  MODEL_TOO_SLOW: 504,
  NOT_REPLICATED: 504,
  OUTPUT_FAILED: 500,
  PERMISSION_DENIED: 403,
  READ_ONLY: 503,
  ROWS_HIDDEN: 403,
  ROW_SECURITY_INACTIVE: 403,
  SERIALIZATION_FAILED: 400,
  STATEMENT_CANCELLED: 504,
  STATEMENT_TIMEOUT: 504,
  THREAD_COPY_FAILED: 500,
  THREAD_DELETED: 410,
  THREAD_EXISTS: 409,
  THREAD_LOCKED: 409,
  THREAD_LOCK_LOST: 503,
  VECTORS_CHANGED: 409,
  VECTOR_EXTENSION_MISSING: 500,
  VERSION_CONFLICT: 409,
  WRITES_MISSING: 422,
};

/** The status of an answer to a call that failed with this error. */
export function statusOf(error: unknown): number {
  if (error instanceof RefusedError) return error.status;
  // An application may throw a code that only its own classes have.
  if (error instanceof CheckpointError)
    return Object.hasOwn(STATUSES, error.code) ? STATUSES[error.code] : 500;
  return isInvalidNamespace(error) ? 400 : 500;
}

/** Whether a store of LangGraph does not take a namespace. Its class may be there in several copies. */
export function isInvalidNamespace(error: unknown): error is Error {
  return types.isNativeError(error) && error.name === "InvalidNamespaceError";
}
