export type { CheckpointDatabase } from "./db/checkpoint-database.js";
export { guardPool } from "./db/guard-pool.js";
export type { DatabaseSource } from "./db/open-database.js";
export type { PGliteInstance } from "./db/pglite-source.js";
export type { RetryOptions } from "./db/retry-transient.js";
export {
  AbortError,
  CheckpointError,
  CheckpointTooLargeError,
  ConcurrentModificationError,
  ConnectionError,
  CorruptCheckpointError,
  DatabaseError,
  DeserializationError,
  type ErrorLocation,
  InvalidConfigError,
  MigrationError,
  MigrationRequiredError,
  PermissionError,
  RowSecurityError,
  SerializationError,
  StatementTimeoutError,
  ThreadDeletedError,
  ThreadLockedError,
  ThreadLockLostError,
} from "./errors.js";
export type { CheckpointBatch } from "./saver/batch.js";
export type { CallOptions } from "./saver/boundary/parse-call-options.js";
export type { ChannelValuesRequest } from "./saver/boundary/parse-channel-values.js";
export type { PostgresSaverOptions } from "./saver/boundary/parse-options.js";
export type { ReadOptions } from "./saver/boundary/parse-selection.js";
export type { LockedRun, ThreadLock, ThreadLockOptions } from "./saver/boundary/parse-thread-lock.js";
export { PostgresSaver } from "./saver/postgres-saver.js";
export type { SaverExtensions } from "./saver/saver-extensions.js";
