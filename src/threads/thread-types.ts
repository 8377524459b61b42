import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { CallOptions, StaleReadOptions } from "../parsing/parse-call-options.js";
import type { ChannelReducers } from "../saver/model/channel-reducers.js";

/** The query of `listThreads`. */
export interface ThreadQuery extends StaleReadOptions {
  /** The last thread of the preceding page. The list continues after it. */
  readonly after?: string | undefined;
  /** The most threads to return, after all conditions. Default: 50. */
  readonly limit?: number | undefined;
  /** Only threads whose newest checkpoint has metadata that contains this. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  /** Only threads whose newest checkpoint was made after this time. */
  readonly updatedAfter?: Date | undefined;
}

/** A thread with the newest checkpoint of all its namespaces. */
export interface ThreadSummary {
  readonly threadId: string;
  /** The namespace of the newest checkpoint; `""` is the root graph. */
  readonly checkpointNs: string;
  /** The newest checkpoint. */
  readonly checkpointId: string;
  /**
   * When the newest checkpoint was made: the time in its id, or the time in its header if the id contains none. `undefined` where neither
   * contains one: see `damaged`.
   */
  readonly updatedAt: Date | undefined;
  /** The super-step of the checkpoint. */
  readonly step: number | undefined;
  /** What made the checkpoint: `input`, `loop`, `update` or `fork`. */
  readonly source: string | undefined;
  /** The number of checkpoints of the thread, in all namespaces. */
  readonly checkpoints: number;
  /** The number of namespaces with checkpoints. */
  readonly namespaces: number;
  /** The metadata of the newest checkpoint; `undefined` where it can't be read: see `damaged`. */
  readonly metadata: CheckpointMetadata | undefined;
  /** What of the newest checkpoint can't be read, as a text for people; absent where all of it can be read. */
  readonly damaged?: string;
}

/** The query of `listTombstones`. */
export interface TombstoneQuery extends StaleReadOptions {
  /** The last thread of the preceding page. The list continues after it. */
  readonly after?: string | undefined;
  /** The most tombstones to return. Default: 50. */
  readonly limit?: number | undefined;
}

/** A deleted thread whose tombstone refuses later writes. */
export interface Tombstone {
  readonly threadId: string;
  /** When the thread was deleted, by the clock of the database. */
  readonly deletedAt: Date;
}

/** The checkpoints of a namespace, or of a page of it, as a tree. */
export interface ThreadHistory {
  readonly threadId: string;
  readonly checkpointNs: string;
  /** The newest checkpoint of the namespace, from which a run continues; `undefined` for an empty namespace. */
  readonly head: string | undefined;
  /**
   * The branches whose first checkpoint has no parent, or a parent that is not stored or not on the page; ordered by their first ids.
   */
  readonly branches: readonly Branch[];
  /** The `before` of the next page, which is the oldest checkpoint of this one; absent where nothing older is stored. */
  readonly next?: string;
}

/** A line of checkpoints without forks. */
export interface Branch {
  /** Oldest first, each the parent of the next; never empty. */
  readonly checkpoints: readonly HistoryEntry[];
  /** The branches that the last checkpoint forks into, ordered by their first ids. */
  readonly branches: readonly Branch[];
}

/** A checkpoint of a {@link ThreadHistory}. */
export interface HistoryEntry {
  readonly checkpointId: string;
  /** The parent, also when it is no longer stored. */
  readonly parentCheckpointId: string | undefined;
  /** The time in the id, or the time in the header if the id contains none; `undefined` where neither contains one. */
  readonly createdAt: Date | undefined;
  /** The super-step of the checkpoint. */
  readonly step: number | undefined;
  /** What made the checkpoint: `input`, `loop`, `update` or `fork`. */
  readonly source: string | undefined;
  /** `undefined` where it can't be read: see `damaged`. */
  readonly metadata: CheckpointMetadata | undefined;
  /** What of the checkpoint can't be read, as a text for people; absent where all of it can be read. */
  readonly damaged?: string;
  /** The number of pending writes beside the checkpoint. */
  readonly writes: number;
  /** Whether one of the writes is an interrupt: the run waits here for an answer, or has waited. */
  readonly interrupted: boolean;
}

/** The options of `history`. */
export interface HistoryOptions extends StaleReadOptions {
  /** The namespace. Default `""`, the root graph. */
  readonly checkpointNs?: string | undefined;
  /** The most checkpoints, the newest first; 1 or more. Default: all, which are in memory at once. */
  readonly limit?: number | undefined;
  /** Only checkpoints that are older than this one: with a smaller id. It need not be stored any more. */
  readonly before?: string | undefined;
}

/** The options of `fork`. */
export interface ForkOptions extends CallOptions {
  /**
   * The new values by channel. They replace the stored values: `fork` applies no reducer, unlike LangGraph's `updateState`.
   * Other channels keep their values.
   */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The reducers of delta channels, whose values LangGraph rebuilds from writes instead of storing them. Each delta channel
   * that tasks of the target have written to needs its reducer; other channels need none. With the reducers of all delta
   * channels, tasks that write beside the target later don't change the fork either.
   */
  readonly reducers?: ChannelReducers | undefined;
}

/** The options of `rollback`. */
export interface RollbackOptions extends CallOptions {
  /** The namespace. Default `""`, the root graph. */
  readonly checkpointNs?: string | undefined;
  /** The reducers of delta channels; see {@link ForkOptions}. */
  readonly reducers?: ChannelReducers | undefined;
}

/** The options of `copyThread`. */
export interface CopyOptions extends CallOptions {
  /**
   * Whether to write the copy as this saver writes new threads: its serializer encodes the values again, and numeric channel
   * versions become text. Python's saver can then continue a thread of the official JavaScript saver, which it can't
   * otherwise. Values in the header of a checkpoint stay there. The values pass through this process. Default: `false`, the
   * server copies the rows unchanged.
   */
  readonly reencode?: boolean | undefined;
}
