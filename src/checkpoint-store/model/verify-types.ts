import type { CheckpointErrorCode } from "../../errors/index.js";
import type { CallOptions } from "../../parsing/parse-call-options.js";

/** A checkpoint that can't be read. */
export interface CheckpointProblem {
  readonly checkpointId: string;
  /**
   * - `CORRUPT_CHECKPOINT`: it is no record of a checkpoint
   * - `DESERIALIZATION_FAILED`: its state or its metadata can't be decoded, or needs another serializer or key
   * - `CHECKPOINT_SCHEMA`: its state does not fit the option `stateSchema` of the store
   */
  readonly code: CheckpointErrorCode;
  /** The version, where the record can be read. */
  readonly version?: number;
  /** A description for people. Its text may change between versions. */
  readonly message: string;
}

/** The progress of `verify` of a checkpoint store. */
export interface VerifyCheckpointsProgress {
  /** How many checkpoints were checked so far. */
  readonly checkpoints: number;
  /** How many of them can't be read. */
  readonly problems: number;
}

/** The options of `verify` of a checkpoint store. */
export interface VerifyCheckpointsOptions extends CallOptions {
  /** Called after each page of checkpoints. */
  readonly onProgress?: ((progress: VerifyCheckpointsProgress) => void) | undefined;
}

/** What `verify` of a checkpoint store has found. */
export interface VerifyCheckpointsReport {
  /** How many checkpoints were checked. */
  readonly checkpoints: number;
  readonly problems: readonly CheckpointProblem[];
}
