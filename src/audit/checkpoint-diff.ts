import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";

/** The difference of a channel between two checkpoints. */
export interface ChannelDiff {
  readonly channel: string;
  /**
   * `added`: only the second checkpoint has a value. `removed`: only the first has one. `changed`: the values differ.
   * `unstored`: a delta channel whose versions differ and whose value at least one checkpoint does not store, since its graph
   * rebuilds it from writes. `before` and `after` then have the stored values.
   */
  readonly change: "added" | "removed" | "changed" | "same" | "unstored";
  /** The version in the first checkpoint, if it has one. */
  readonly beforeVersion?: string | number;
  /** The version in the second checkpoint, if it has one. */
  readonly afterVersion?: string | number;
  /** The value in the first checkpoint, if it has one that differs. */
  readonly before?: unknown;
  /** The value in the second checkpoint, if it has one that differs. */
  readonly after?: unknown;
}

/** The difference between two checkpoints. */
export interface CheckpointDiff {
  /** The first checkpoint. */
  readonly before: CheckpointTuple["config"];
  /** The second checkpoint. */
  readonly after: CheckpointTuple["config"];
  /** All channels of both checkpoints, by name. */
  readonly channels: readonly ChannelDiff[];
}
