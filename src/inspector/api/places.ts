/** A namespace of a thread; `""` is the root graph. */
export interface NamespacePlace {
  readonly threadId: string;
  readonly namespace: string;
}

/** A checkpoint. */
export interface CheckpointPlace extends NamespacePlace {
  readonly checkpointId: string;
}

/** Two checkpoints that are compared. */
export interface ComparedCheckpoints {
  readonly before: CheckpointPlace;
  readonly after: CheckpointPlace;
}

/** Where a value is stored. */
export type ValuePlace =
  | (CheckpointPlace & { readonly kind: "channel"; readonly channel: string })
  | (CheckpointPlace & { readonly kind: "write"; readonly taskId: string; readonly idx: number })
  | (CheckpointPlace & { readonly kind: "metadata" })
  | { readonly kind: "item"; readonly namespace: readonly string[]; readonly key: string }
  /** An entry of a cache. Its namespace is the text that the table has. */
  | { readonly kind: "entry"; readonly namespace: string; readonly key: string };
