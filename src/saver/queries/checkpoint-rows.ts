import type { CheckpointKey, NamespaceKey } from "../model/checkpoint-key.js";
import type { EncodedBlob } from "./encoded-checkpoint.js";
import type { EncodedWrite } from "./put-pending-writes.js";

/**
 * Rows of all three tables, of any number of checkpoints and threads. Each has its whole key, and each key occurs
 * once.
 */
export interface CheckpointRows {
  readonly checkpoints: readonly HeaderRow[];
  readonly writes: readonly WriteRow[];
  readonly blobs: readonly BlobRow[];
}

/** A row of `checkpoints`. */
export interface HeaderRow extends CheckpointKey {
  readonly parentCheckpointId: string | null;
  /** The header, as JSON text. */
  readonly checkpoint: string;
  /** The metadata, as JSON text. */
  readonly metadata: string;
  /**
   * By channel, the stored checkpoint of the same namespace from whose header an unchanged value is copied, as JSON
   * text.
   */
  readonly inlineSources: string;
}

/** A row of `checkpoint_blobs`. */
export interface BlobRow extends NamespaceKey, EncodedBlob {}

/** A row of `checkpoint_writes`. */
export interface WriteRow extends CheckpointKey, EncodedWrite {
  readonly taskId: string;
  readonly taskPath: string;
}
