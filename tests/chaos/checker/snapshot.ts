import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { WriteRecord } from "../journal/entry.js";

/** What is in the database after a run. */
export interface Snapshot {
  /** By thread, what the saver reads. */
  readonly tuples: ReadonlyMap<string, readonly CheckpointTuple[]>;
  /** What the saver could not read, if anything. */
  readonly unreadable: readonly string[];
  /** By thread, the keys of the rows of `checkpoint_writes`. */
  readonly writes: ReadonlyMap<string, readonly Pick<WriteRecord, "checkpoint" | "task" | "idx">[]>;
  /** Channels of checkpoints that have a version, and neither an inline value nor a blob of it. */
  readonly missingBlobs: readonly string[];
}
