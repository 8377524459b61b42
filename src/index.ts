export type { CheckpointDatabase } from "./db/checkpoint-database.js";
export { guardPool } from "./db/guard-pool.js";
export type { DatabaseSource, PoolState } from "./db/open-database.js";
export type { PGliteInstance } from "./db/pglite-source.js";
export type { RetryOptions } from "./db/retry-transient.js";
export {
  AbortError,
  CheckpointError,
  CheckpointNotFoundError,
  CheckpointTooLargeError,
  ConcurrentModificationError,
  ConnectionError,
  CorruptCheckpointError,
  DatabaseError,
  DeserializationError,
  type ErrorLocation,
  IncompatibleTablesError,
  InvalidConfigError,
  MigrationError,
  MigrationRequiredError,
  NotReplicatedError,
  PermissionError,
  RowSecurityError,
  SerializationError,
  StatementTimeoutError,
  ThreadDeletedError,
  ThreadExistsError,
  ThreadLockedError,
  ThreadLockLostError,
  WritesMissingError,
} from "./errors.js";
export type {
  Auditing,
  ChannelStorage,
  Problem,
  ProblemKind,
  RebuiltBlob,
  StorageQuery,
  StorageReport,
  StorageSize,
  TaskStats,
  TaskStatsOptions,
  TaskWrite,
  ThreadStorage,
  VerifyOptions,
  VerifyProgress,
  VerifyReport,
} from "./saver/audit/auditing.js";
export type { ChannelDiff, CheckpointDiff } from "./saver/audit/checkpoint-diff.js";
export type { Backup, ExportOptions, ImportOptions, ImportReport } from "./saver/backup/backup.js";
export { BackupError, type BackupErrorOptions } from "./saver/backup/backup-error.js";
export type { CheckpointBatch } from "./saver/batch.js";
export type { CallOptions } from "./saver/boundary/parse-call-options.js";
export type { ChannelValuesRequest } from "./saver/boundary/parse-channel-values.js";
export type { PostgresSaverOptions, TelemetryChoice } from "./saver/boundary/parse-options.js";
export type { ReadOptions } from "./saver/boundary/parse-selection.js";
export type { LockedRun, ThreadLock, ThreadLockOptions } from "./saver/boundary/parse-thread-lock.js";
export type { ChannelReducer, ChannelReducers } from "./saver/channel-reducers.js";
export type {
  Branch,
  CopyOptions,
  ForkOptions,
  HistoryEntry,
  HistoryOptions,
  RollbackOptions,
  ThreadHistory,
  ThreadLife,
  ThreadQuery,
  ThreadSummary,
  Tombstone,
  TombstoneQuery,
} from "./saver/life/thread-life.js";
export type { Health, Observing, SchemaHealth, WatchOptions } from "./saver/observing/observing.js";
export { PostgresSaver } from "./saver/postgres-saver.js";
export type {
  IdleOptions,
  PruneOptions,
  PruneProgress,
  PruneReport,
  Pruning,
  RetentionOptions,
  RunDeletionOptions,
} from "./saver/prune/pruning.js";
export type { RowCounts } from "./saver/row-counts.js";
export type { SaverExtensions } from "./saver/saver-extensions.js";
export { ShallowPostgresSaver } from "./saver/shallow-postgres-saver.js";
export type { LogFields } from "./telemetry/log-fields.js";
export type { Logger, WriteLog } from "./telemetry/logger.js";
