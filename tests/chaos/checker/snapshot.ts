import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { WriteRecord } from "../journal/entry.js";

/** The contents of the database after a run. */
export interface Snapshot {
  /** What the saver reads, by thread. */
  readonly tuples: ReadonlyMap<string, readonly CheckpointTuple[]>;
  /** What the saver could not read. */
  readonly unreadable: readonly string[];
  /** The keys of the rows of `checkpoint_writes`, by thread. */
  readonly writes: ReadonlyMap<string, readonly Pick<WriteRecord, "checkpoint" | "task" | "idx">[]>;
  /** Channels of checkpoints that have a version, but neither an inline value nor a blob. */
  readonly missingBlobs: readonly string[];
}
