export type { CheckpointDatabase } from "./db/checkpoint-database.js";
export type { DatabaseSource } from "./db/open-database.js";
export type { PGliteInstance } from "./db/pglite-source.js";
export type { RetryOptions } from "./db/retry-transient.js";
export {
  CheckpointError,
  CheckpointTooLargeError,
  ConnectionError,
  CorruptCheckpointError,
  DatabaseError,
  DeserializationError,
  type ErrorLocation,
  InvalidConfigError,
  MigrationError,
  MigrationRequiredError,
  PermissionError,
  SerializationError,
  ThreadLockedError,
  ThreadLockLostError,
} from "./errors.js";
export type { CheckpointBatch } from "./saver/batch.js";
export type { ChannelValuesRequest } from "./saver/boundary/parse-channel-values.js";
export type { PostgresSaverOptions } from "./saver/boundary/parse-options.js";
export type { ReadOptions } from "./saver/boundary/parse-selection.js";
export { PostgresSaver } from "./saver/postgres-saver.js";
