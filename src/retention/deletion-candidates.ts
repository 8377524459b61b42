import type { NamespaceKey } from "../saver/model/keys.js";
import type { LineageRow } from "./queries/select-lineage.js";

/** The checkpoints of a namespace that a retention rule or a run id selects for deletion. */
export interface DeletionCandidates {
  readonly key: NamespaceKey;
  /** Newest first. */
  readonly ids: readonly string[];
}

/** The candidates of a namespace, with the parents of all of its checkpoints. */
export interface CandidateLineage extends DeletionCandidates {
  readonly lineage: readonly LineageRow[];
  /** The kept checkpoints whose parents are candidates. What they need of older checkpoints, they reach through these parents. */
  readonly keptChildren: readonly LineageRow[];
}
