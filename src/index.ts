export type { CheckpointSaver } from "./checkpoint-saver.js";
export type { CheckpointDatabase } from "./db/checkpoint-database.js";
export { handlePoolErrors } from "./db/pool/connect-until-ended.js";
export type { DatabaseSource, PoolState } from "./db/opened-database.js";
export type { ReplicaFault, ReplicaState } from "./db/replica/replica.js";
export type { RetryOptions } from "./db/statements/retry-transient.js";
export {
  AbortError,
  CheckpointError,
  type CheckpointErrorCode,
  CheckpointNotFoundError,
  CheckpointTooLargeError,
  ClockBehindError,
  ConcurrentModificationError,
  ConnectionError,
  CorruptCheckpointError,
  type Damage,
  DatabaseError,
  BrokenChainError,
  DeserializationError,
  DiskFullError,
  IncompatibleTablesError,
  InvalidConfigError,
  type LockHolder,
  MigrationError,
  MigrationRequiredError,
  NotReplicatedError,
  PermissionError,
  ReadOnlyError,
  HiddenRowsError,
  RowSecurityError,
  VectorExtensionError,
  SerializationError,
  StatementCancelledError,
  StatementTimeoutError,
  ThreadDeletedError,
  ThreadExistsError,
  ThreadLockedError,
  ThreadLockLostError,
  WritesMissingError,
} from "./errors/index.js";
export type {
  NodeStats,
  Problem,
  ProblemKind,
  RebuiltBlob,
  TaskReport,
  TaskStats,
  TaskStatsOptions,
  TaskStatsQuery,
  TaskWrite,
  VerifyOptions,
  VerifyProgress,
  VerifyReport,
} from "./audit/audit-types.js";
export type {
  ChannelStorage,
  StorageProgress,
  StorageQuery,
  StorageReport,
  StorageSize,
  ThreadStorage,
} from "./audit/storage-types.js";
export type { ChannelDiff, CheckpointDiff } from "./audit/audit-types.js";
export { archiveFolder } from "./archive/archive-folder.js";
export { ArchiveError } from "./archive/archive-error.js";
export type {
  ArchiveCallOptions,
  ArchiveCompression,
  ArchiveDestination,
  ArchiveOptions,
  ArchiveResult,
  ArchiveRule,
  ArchiveTarget,
  RestoreOptions,
  DamagedFile,
  RestoreReport,
  ThreadArchiveOptions,
} from "./archive/archive-types.js";
export type {
  Repair,
  RepairAction,
  RepairOptions,
  RepairProgress,
  RepairReport,
} from "./repair/repair-types.js";
export type { ExportOptions, ImportOptions, ImportReport } from "./backup/backup-types.js";
export { checkBackup } from "./backup/check/check-backup.js";
export type { BackupCheck, BackupCheckOptions, BackupFault } from "./backup/check/check-types.js";
export { mergeBackups } from "./backup/merge-backups.js";
export { BackupError } from "./backup/backup-error.js";
export type { CheckpointBatch } from "./saver/batch.js";
export type { CallOptions, StaleReadOptions } from "./parsing/parse-call-options.js";
export type { ChannelValuesRequest } from "./saver/boundary/parse-read.js";
export type { SetupOptions } from "./parsing/parse-call-options.js";
export type { ConnectionOptions, TelemetryChoice } from "./parsing/connection-options.js";
export type { PostgresSaverOptions, ReplicaOptions } from "./saver/boundary/parse-options.js";
export type { ReadOptions } from "./saver/boundary/parse-read.js";
export type { ThreadLock, ThreadLockOptions } from "./threads/with-thread-lock.js";
export type { ChannelReducer, ChannelReducers } from "./saver/model/channel-reducers.js";
export type {
  Branch,
  CopyOptions,
  ForkOptions,
  HistoryEntry,
  HistoryOptions,
  RollbackOptions,
  ThreadHistory,
  ThreadQuery,
  ThreadSummary,
  Tombstone,
  TombstoneQuery,
} from "./threads/thread-types.js";
export { copyThreads } from "./threads/between-savers/copy-threads.js";
export type {
  CopyThreadsOptions,
  CopyThreadsProgress,
  CopyThreadsReport,
} from "./threads/between-savers/copy-threads-types.js";
export { ThreadCopyError } from "./threads/between-savers/copy-threads-types.js";
export type { Health, SchemaHealth } from "./health/health.js";
export type { GrowthOptions, GrowthProgress, GrowthReport } from "./compaction/growth-types.js";
export type { WatchOptions } from "./watch/watch-options.js";
export { PostgresSaver } from "./postgres-saver.js";
export type {
  IdleOptions,
  PruneOptions,
  PruneProgress,
  PruneReport,
  RetentionOptions,
  RunDeletionOptions,
  UnprovenNamespace,
  UnprovenOrphans,
} from "./retention/retention-types.js";
export type { RowCounts } from "./saver/model/row-counts.js";
export type { Retention, RetentionSchedule } from "./scheduled-retention/retention-schedule.js";
export { ShallowPostgresSaver, type ShallowPostgresSaverOptions } from "./shallow-postgres-saver.js";
export type { LogFields, Logger, WriteLog } from "./telemetry/logger.js";
export type { WaitedFor, WaitingCall } from "./telemetry/running-calls.js";
