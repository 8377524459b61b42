export type { BackendCall, CheckCall, CheckpointBackend, SetupCall } from "./model/backend.js";
export { CheckpointCopyError } from "./copy/checkpoint-copy-error.js";
export { copyCheckpoints, type CopyableStore } from "./copy/copy-checkpoints.js";
export type { CopyCheckpointsOptions, CopyProgress } from "./model/copy-types.js";
export { BackendCheckpointStore } from "./backend-checkpoint-store.js";
export type {
  CheckpointScope,
  CheckpointStore,
  LatestOptions,
  ListOptions,
  SaveOptions,
} from "./checkpoint-store.js";
export type {
  CheckpointProblem,
  VerifyCheckpointsOptions,
  VerifyCheckpointsProgress,
  VerifyCheckpointsReport,
} from "./model/verify-types.js";
export type { HealthFindings } from "../health/report-health.js";
export type { ExecutionCheckpoint } from "./model/execution-checkpoint.js";
export { createCheckpoint, newExecutionId, type NewCheckpoint } from "./create-checkpoint.js";
export * from "./graphs/index.js";
export { MemoryCheckpointStore } from "./memory/memory-checkpoint-store.js";
export { PostgresCheckpointStore } from "./postgres/postgres-checkpoint-store.js";
export type { PostgresCheckpointStoreOptions } from "./postgres/postgres-options.js";
export {
  compareRecords,
  isSameRecord,
  newestOfScopes,
  type ReadRecord,
  type RecordRange,
  type RecordScope,
  type RefusingRecord,
  type SaveManyRules,
  type SaveRules,
  scopesOf,
  type StoredRecord,
} from "./model/stored-record.js";
export type { CheckpointStoreOptions } from "./checkpoint-store-options.js";
