import type { CheckpointKey, NamespaceKey } from "../model/checkpoint-key.js";
import type { EncodedBlob } from "./put-checkpoint.js";
import type { EncodedWrite } from "./put-pending-writes.js";

/** Rows of all three tables, of any number of checkpoints and threads, each with its whole key and each key once. */
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
   * The stored checkpoint of the same namespace that each unchanged inline number is carried over from, by channel, as
   * JSON text: that checkpoint's header may have the number in another spelling.
   */
  readonly numberSources: string;
}

/** A row of `checkpoint_blobs`. */
export interface BlobRow extends NamespaceKey, EncodedBlob {}

/** A row of `checkpoint_writes`. */
export interface WriteRow extends CheckpointKey, EncodedWrite {
  readonly taskId: string;
  readonly taskPath: string;
}
