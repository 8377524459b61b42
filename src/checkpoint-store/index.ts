export type { BackendCall, CheckCall, CheckpointBackend, SetupCall } from "./model/backend.js";
export { CheckpointCopyError } from "./copy-checkpoints.js";
export { copyCheckpoints, type CopyableStore } from "./copy-checkpoints.js";
export type { CopyCheckpointsOptions, CopyProgress } from "./copy-checkpoints.js";
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
} from "./checkpoint-store.js";
export type { HealthFindings } from "../health/health.js";
export type { ExecutionCheckpoint } from "./model/execution-checkpoint.js";
export { createCheckpoint, newExecutionId, type NewCheckpoint } from "./model/execution-checkpoint.js";
export { recordCheckpoints } from "./graphs/record-checkpoints.js";
export type {
  RecordableGraph,
  RecordCheckpointsOptions,
  RecordedGraph,
  ResumeOptions,
} from "./graphs/recorded-graph.js";
export { MemoryCheckpointStore } from "./memory-checkpoint-store.js";
export { PostgresCheckpointStore } from "./postgres-checkpoint-store.js";
export type { PostgresCheckpointStoreOptions } from "./postgres-checkpoint-store.js";
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
