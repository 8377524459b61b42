import type { StaleReadOptions } from "../parsing/parse-call-options.js";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";

/** A write of a task, recorded beside the checkpoint that the task started from. */
export interface TaskWrite {
  readonly taskId: string;
  /** The place of the task in the graph; `""` if the writer did not pass it. */
  readonly taskPath: string;
  /** The position among the task's writes; negative for special writes such as errors and interrupts. */
  readonly idx: number;
  readonly channel: string;
  /** The serializer's type tag; `null` in rows of the first official savers. */
  readonly type: string | null;
  /** The length of the stored value. */
  readonly bytes: number;
  readonly value: unknown;
}

/** The options of `taskStats`. */
export interface TaskStatsOptions extends StaleReadOptions {
  /** The namespace; `""` is the root graph. Default: all namespaces. */
  readonly checkpointNs?: string | undefined;
  /** The checkpoint. Default: all checkpoints. */
  readonly checkpointId?: string | undefined;
}

/** The query of `taskStats`. */
export interface TaskStatsQuery extends StaleReadOptions {
  /** The thread. Default: all threads. */
  readonly threadId?: string | undefined;
  /** The namespace; `""` is the root graph. Default: all namespaces. */
  readonly checkpointNs?: string | undefined;
  /**
   * Only tasks that started from checkpoints of this time or later, by the time in their ids. Checkpoints whose ids have none are left out
   * then. Default: all.
   */
  readonly since?: Date | undefined;
  /** How many of the largest nodes and tasks to list. Default: 20. */
  readonly limit?: number | undefined;
}

/** What the tasks of a node wrote. */
export interface NodeStats {
  /**
   * The node, or that whose task called the tasks. Absent for tasks whose path names none: those of `Send`, and those of writers that don't
   * pass the path, such as LangGraph.js before 1.7.
   */
  readonly node?: string;
  /** The number of its tasks. */
  readonly tasks: number;
  /** The number of their writes. */
  readonly writes: number;
  /** The total length of their values. */
  readonly bytes: number;
  /** The mean length of a value. */
  readonly meanBytes: number;
}

/** The result of `taskStats` with a query. */
export interface TaskReport {
  /** The largest nodes, the largest first. */
  readonly nodes: readonly NodeStats[];
  /** The largest tasks, the largest first. */
  readonly tasks: readonly TaskStats[];
}

/** The number and the size of a task's writes. */
export interface TaskStats {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly checkpointId: string;
  readonly taskId: string;
  readonly taskPath: string;
  /** The node, as {@link NodeStats} has it. */
  readonly node?: string;
  /** The number of the task's writes. */
  readonly writes: number;
  /** The total length of their values. */
  readonly bytes: number;
  /** The mean length of a value. */
  readonly meanBytes: number;
}

/** A value that `rebuildBlobs` has stored. */
export interface RebuiltBlob {
  readonly channel: string;
  readonly version: string;
  /** The length of the stored value. */
  readonly bytes: number;
}

/**
 * The kinds of problems that `verify` finds:
 *
 * - `corrupt-header`: a row of `checkpoints` that does not contain a checkpoint, or one with an id that is empty or not that of the row, a
 *   format other than 1 to 4, a time that is none, no `channel_versions` or `versions_seen`, or a step, source or parents of another type.
 *   Values that only such rows reference are not reported as `stray-blob`
 * - `corrupt-value`: a row of `checkpoint_blobs` with columns that no saver stores: a base although the value is whole, a length that is
 *   not that of the value, or bytes although the channel is empty
 * - `corrupt-write`: a row of `checkpoint_writes` with columns that no saver stores: a negative index that is not the channel's, an empty
 *   task or checkpoint, or NULL as the task's path
 * - `undecodable-value`, `undecodable-write`: bytes that the saver's serializer can't read
 * - `broken-chain`: a splice can't be read, because a value that it is made of is not stored, was changed, or is made of the splice
 * - `long-chain`: a splice is made of more values than savers make them of; it can be read, and `compact` makes its chain shorter
 * - `missing-value`: a channel has a version, but neither a blob nor a value in the header; a notice when Python's saver stored
 *   the checkpoint and no row shows whether the channel was empty
 * - `missing-parent`: a checkpoint's parent, or one of the parents in its metadata, is not stored; an error if a delta channel needs it,
 *   otherwise a notice, since `prune` may have deleted it, or the parent's graph has not stored it yet
 * - `parent-cycle`: checkpoints that are each other's ancestors
 * - `stray-writes`: writes whose checkpoint is not stored, a notice
 * - `stray-blob`: a blob that no checkpoint references, a notice
 * - `living-tombstone`: a tombstone of a thread that has checkpoints or a conversation, so that savers with `keepTombstones` refuse to continue it
 */
export type ProblemKind =
  | "corrupt-header"
  | "corrupt-value"
  | "corrupt-write"
  | "undecodable-value"
  | "undecodable-write"
  | "broken-chain"
  | "long-chain"
  | "missing-value"
  | "missing-parent"
  | "parent-cycle"
  | "stray-writes"
  | "stray-blob"
  | "living-tombstone";

/** A problem with stored rows, and its place. */
export interface Problem {
  readonly kind: ProblemKind;
  /** `error`: a checkpoint can't be read completely, or is not what a saver has stored. `notice`: no known loss. */
  readonly severity: "error" | "notice";
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly checkpointId?: string;
  readonly channel?: string;
  readonly version?: string;
  readonly taskId?: string;
  /** The position of a write among those of its task. */
  readonly idx?: number;
  /**
   * How many other rows have the same cause, and are not listed: checkpoints without the same value, checkpoints with the same missing
   * parent, tasks that wrote beside the same missing checkpoint, and values that are made of the same unreadable one. Absent for none.
   */
  readonly dependents?: number;
  /** A description for people, which names the place. Its text may change between versions. */
  readonly message: string;
}

/** The progress of `verify`. */
export interface VerifyProgress {
  /** The number of checkpoints checked so far. */
  readonly checkpoints: number;
  /** The number of values of blobs and writes read so far. */
  readonly values: number;
  /** The number of errors found so far. */
  readonly problems: number;
  /** The number of notices found so far. */
  readonly notices: number;
  /**
   * About how many checkpoints and values there are, by the statistics of the server. Absent for one thread, with `since`, and where the
   * server has none.
   */
  readonly expected?: number;
  /** The thread of the last row. */
  readonly threadId: string;
}

/** The options of `verify`. */
export interface VerifyOptions extends StaleReadOptions {
  /** Called after every page of rows. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  /** Checks this share of all threads, from above 0 to 1, drawn at random in each call. Default: 1. */
  readonly sample?: number | undefined;
  /** Checks only threads whose newest checkpoint has this time in its id, a later one, or none. Default: all. */
  readonly since?: Date | undefined;
}

/** The result of `verify`. */
export interface VerifyReport {
  /** The number of checked threads. */
  readonly threads: number;
  /** The number of checked checkpoints. */
  readonly checkpoints: number;
  /** The number of values of blobs and writes that were read, each once. */
  readonly values: number;
  readonly problems: readonly Problem[];
}

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
