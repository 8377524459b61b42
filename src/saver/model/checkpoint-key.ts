/** Identifies a namespace of a thread. */
export interface NamespaceKey {
  readonly threadId: string;
  readonly checkpointNs: string;
}

/** Identifies a checkpoint. */
export interface CheckpointKey extends NamespaceKey {
  readonly checkpointId: string;
}
