// The errors that this library throws on purpose. Those of the stores are in files of their own, which savers don't load.
export { type ErrorLocation, type CheckpointErrorOptions, CheckpointError } from "./checkpoint-error.js";
export type { CheckpointErrorCode } from "./checkpoint-error.js";
export { InvalidConfigError, AbortError } from "./checkpoint-error.js";
export {
  SerializationError,
  type CheckpointTooLargeErrorOptions,
  CheckpointTooLargeError,
  BrokenChainError,
  type DeserializationErrorOptions,
  DeserializationError,
  CorruptCheckpointError,
  type UnreadableError,
  isUnreadable,
  WritesMissingError,
} from "./value-errors.js";
export { describePlace, type RowPlace } from "./value-errors.js";
export { type Damage, damageOf } from "./value-errors.js";
export {
  CheckpointNotFoundError,
  type ClockBehind,
  ClockBehindError,
  type ConcurrentModification,
  ConcurrentModificationError,
  ThreadDeletedError,
  ThreadExistsError,
  ThreadLockedError,
  ThreadLockLostError,
} from "./thread-errors.js";
export {
  type DatabaseErrorOptions,
  DatabaseError,
  ConnectionError,
  type StatementTimeoutErrorOptions,
  StatementTimeoutError,
  NotReplicatedError,
  ReadOnlyError,
  DiskFullError,
  StatementCancelledError,
  PermissionError,
  HiddenRowsError,
  RowSecurityError,
} from "./database-errors.js";
export {
  VectorExtensionError,
  IncompatibleTablesError,
  MigrationRequiredError,
  type LockHolder,
  type MigrationErrorOptions,
  MigrationError,
} from "./table-errors.js";
