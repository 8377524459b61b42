import type { NamespaceKey } from "../saver/model/checkpoint-key.js";
import type { LineageRow } from "./queries/select-lineage.js";

/** The checkpoints of a namespace that are to go, newest first. */
export interface DoomedNamespace {
  readonly key: NamespaceKey;
  readonly ids: readonly string[];
}

/** A namespace with doomed checkpoints. */
export interface DoomedLineage extends DoomedNamespace {
  readonly lineage: readonly LineageRow[];
  /** Those that stay and whose parents are doomed: what they need of older ones leads through these. */
  readonly frontier: readonly LineageRow[];
}
