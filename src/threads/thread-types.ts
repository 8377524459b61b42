import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { CallOptions } from "../parsing/parse-call-options.js";
import type { ChannelReducers } from "../saver/model/channel-reducers.js";

/** Which threads `listThreads` tells of. */
export interface ThreadQuery extends CallOptions {
  /** The last thread of the page before: the list goes on right behind it. */
  readonly after?: string | undefined;
  /** The number of threads at most, after all conditions. Default 50. */
  readonly limit?: number | undefined;
  /** Only threads whose newest checkpoint has metadata that contains this. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  /** Only threads whose newest checkpoint is later than that. */
  readonly updatedAfter?: Date | undefined;
}

/** A thread, as its newest checkpoint over all namespaces has it. */
export interface ThreadSummary {
  readonly threadId: string;
  /** The namespace of the newest checkpoint; `""` is the root graph. */
  readonly checkpointNs: string;
  /** The newest checkpoint. */
  readonly checkpointId: string;
  /** When that one was made: the time inside its id, or what its header says where the id holds none. */
  readonly updatedAt: Date;
  /** Its super-step. */
  readonly step: number | undefined;
  /** What made it: `input`, `loop`, `update` or `fork`. */
  readonly source: string | undefined;
  /** How many checkpoints the thread has, in all namespaces. */
  readonly checkpoints: number;
  /** How many namespaces have checkpoints. */
  readonly namespaces: number;
  readonly metadata: CheckpointMetadata;
}

/** Which tombstones `listTombstones` returns. */
export interface TombstoneQuery extends CallOptions {
  /** The last thread of the page before: the list goes on right behind it. */
  readonly after?: string | undefined;
  /** The number of tombstones at most. Default 50. */
  readonly limit?: number | undefined;
}

/** A thread that was deleted for good. */
export interface Tombstone {
  readonly threadId: string;
  /** By the clock of the database. */
  readonly deletedAt: Date;
}

/** The checkpoints of a namespace as a tree. */
export interface ThreadHistory {
  readonly threadId: string;
  readonly checkpointNs: string;
  /** The newest checkpoint, which a run goes on from; `undefined` where there is none. */
  readonly head: string | undefined;
  /** The branches that begin with a checkpoint without a parent, or with one whose parent is gone, by their first ids. */
  readonly branches: readonly Branch[];
}

/** A line of checkpoints without forks. */
export interface Branch {
  /** Oldest first, each the parent of the next; never empty. */
  readonly checkpoints: readonly HistoryEntry[];
  /** What the last of them forks into, by their first ids. */
  readonly branches: readonly Branch[];
}

/** A checkpoint of a {@link ThreadHistory}. */
export interface HistoryEntry {
  readonly checkpointId: string;
  /** Also where that one is gone. */
  readonly parentCheckpointId: string | undefined;
  /** The time inside its id, or what its header says where the id holds none. */
  readonly createdAt: Date;
  /** Its super-step. */
  readonly step: number | undefined;
  /** What made it: `input`, `loop`, `update` or `fork`. */
  readonly source: string | undefined;
  readonly metadata: CheckpointMetadata;
  /** The number of pending writes beside it. */
  readonly writes: number;
  /** Whether one of them is an interrupt: the run waits here for an answer, or did. */
  readonly interrupted: boolean;
}

/** What `history` is asked for. */
export interface HistoryOptions extends CallOptions {
  /** The namespace. Default `""`, the root graph. */
  readonly checkpointNs?: string | undefined;
}

/** What a fork changes. */
export interface ForkOptions extends CallOptions {
  /**
   * The values of the new checkpoint by channel, as they are to be: no reducer is applied, which `updateState` of
   * LangGraph does. Channels that are not named keep their values.
   */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The reducers of delta channels, whose values are not stored but rebuilt; those of other channels are not needed. One is
   * needed for each that the tasks of the target have written to. With all of them the fork is safe also from tasks that
   * write beside the target later.
   */
  readonly reducers?: ChannelReducers | undefined;
}

/** How a thread is rolled back. */
export interface RollbackOptions extends CallOptions {
  /** The namespace. Default `""`, the root graph. */
  readonly checkpointNs?: string | undefined;
  /** As of {@link ForkOptions}. */
  readonly reducers?: ChannelReducers | undefined;
}

/** How a thread is copied. */
export interface CopyOptions extends CallOptions {
  /**
   * Writes the copy as this saver writes new threads: values encoded anew by its serializer, and versions of channels that
   * are numbers as text. So Python's saver goes on with a thread that the official JavaScript saver began, which it can't
   * otherwise, and so does this one with text. Values that stand in the header of a checkpoint stay there. The values go
   * through this process. Default: `false`, the rows are copied as they are.
   */
  readonly reencode?: boolean | undefined;
}
