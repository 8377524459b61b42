/** What identifies a namespace of a thread. */
export interface NamespaceKey {
  readonly threadId: string;
  readonly checkpointNs: string;
}

/** What identifies a checkpoint. */
export interface CheckpointKey extends NamespaceKey {
  readonly checkpointId: string;
}
