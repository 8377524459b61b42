import type { CheckpointStore } from "../../checkpoint-store/checkpoint-store.js";
import type { ExecutionCheckpoint } from "../../checkpoint-store/model/execution-checkpoint.js";

/** The options that a case needs its store to have, as the stores of this library take them. */
export interface SuiteCheckpointStoreOptions {
  /** Absent in cases that do without it. */
  readonly concurrency?: "optimistic";
}

/** What a case works with. */
export interface CheckpointScene {
  readonly store: CheckpointStore;
  /** The id of an execution without checkpoints. No other case uses it. */
  readonly executionId: string;
  /** The id of a thread without checkpoints. No other case uses it. */
  readonly threadId: string;
  /** Creates a checkpoint of the execution and the thread, with a new id. It is not stored. */
  readonly checkpoint: (fields?: Partial<ExecutionCheckpoint>) => ExecutionCheckpoint;
}

/** A promise of checkpoint stores, and how it is checked. */
export interface CheckpointCase {
  readonly name: string;
  readonly options?: SuiteCheckpointStoreOptions;
  readonly check: (scene: CheckpointScene) => Promise<void>;
}
