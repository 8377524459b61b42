// Every error that is thrown on purpose.
export {
  type ErrorLocation,
  type CheckpointErrorOptions,
  CheckpointError,
} from "./errors/checkpoint-error.js";
export { InvalidConfigError, AbortError } from "./errors/call-errors.js";
export {
  SerializationError,
  type CheckpointTooLargeErrorOptions,
  CheckpointTooLargeError,
  DeserializationError,
  CorruptCheckpointError,
} from "./errors/value-errors.js";
export {
  CheckpointNotFoundError,
  type ConcurrentModification,
  ConcurrentModificationError,
  ThreadDeletedError,
  ThreadExistsError,
  ThreadLockedError,
  ThreadLockLostError,
} from "./errors/thread-errors.js";
export { WritesMissingError } from "./errors/writes-missing-error.js";
export {
  type DatabaseErrorOptions,
  DatabaseError,
  ConnectionError,
  StatementTimeoutError,
  NotReplicatedError,
  PermissionError,
  RowSecurityError,
  IncompatibleTablesError,
  MigrationRequiredError,
  MigrationError,
} from "./errors/database-errors.js";
