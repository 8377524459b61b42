import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";

/** How a channel of one checkpoint relates to that of another. */
export interface ChannelDiff {
  readonly channel: string;
  /**
   * `added`: only the second has a value; `removed`: only the first; `changed`: the values differ. `unstored`: a delta
   * channel whose versions differ, and whose value is not stored with both; its graph rebuilds it from writes. What is
   * stored of it is there.
   */
  readonly change: "added" | "removed" | "changed" | "same" | "unstored";
  /** The version in the first; absent where it has none. */
  readonly beforeVersion?: string | number;
  /** The version in the second; absent where it has none. */
  readonly afterVersion?: string | number;
  /** The value in the first; absent where it has none, or the same. */
  readonly before?: unknown;
  /** The value in the second; absent where it has none, or the same. */
  readonly after?: unknown;
}

/** How two checkpoints differ. */
export interface CheckpointDiff {
  /** The first. */
  readonly before: CheckpointTuple["config"];
  /** The second. */
  readonly after: CheckpointTuple["config"];
  /** All channels of both, by name. */
  readonly channels: readonly ChannelDiff[];
}
