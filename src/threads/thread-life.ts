import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { CallOptions } from "../parsing/parse-call-options.js";
import type { ChannelReducers } from "../saver/model/channel-reducers.js";
import type { RowCounts } from "../saver/model/row-counts.js";

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

/** What becomes of whole threads: they are listed, copied, looked at, forked and rolled back. */
export interface ThreadLife {
  /**
   * Copies a thread with all of its namespaces, checkpoints, values and pending writes, under the same ids. The two share
   * nothing afterwards. A thread that does not exist is no error, and nor is a copy that is made again.
   *
   * It is one transaction: nobody sees a part of the copy, and a call that fails leaves nothing behind. The server copies the
   * rows by itself. With a serializer that binds values to their place (`AesGcmSerializer`) the values go through this
   * process instead, in portions, and a connection is in use until the last one is stored.
   *
   * Both threads may be written to, pruned and deleted meanwhile.
   *
   * @param source - The thread that is copied.
   * @param target - The thread that it is copied to: a new one, or an earlier copy of `source`.
   * @param options - `reencode` writes the copy anew, so that Python's saver goes on with it.
   * @returns How many rows `target` now has of `source`, also those that an earlier copy brought. The bytes are those of `source`.
   * @throws ThreadExistsError when `target` has checkpoints that `source` has not, or has them as they are and `reencode` is
   *   asked for; nothing is written then.
   * @throws DeserializationError, SerializationError when a value can't be read or written anew; it names the channel. So it is
   *   with a value of AES-256-GCM, which is bound to its thread, and a saver without the serializer that wrote it; nothing is
   *   written then.
   * @throws ThreadDeletedError when `target` was deleted for good, with `keepTombstones`.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * await checkpointer.copyThread("42", "42-what-if");
   * ```
   */
  copyThread(source: string, target: string, options?: CopyOptions): Promise<RowCounts>;

  /**
   * Lists threads by their ids, in the order of the database, by steps through the index; the checkpoints of those that it
   * lists are counted, and a `filter` that few threads match is looked up in each that it passes over.
   *
   * @returns A page of them: the next one begins `after` its last, and one shorter than `limit` is the last.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * let page = await checkpointer.listThreads({ limit: 50, updatedAfter: yesterday });
   * page = await checkpointer.listThreads({ limit: 50, updatedAfter: yesterday, after: page.at(-1)?.threadId });
   * ```
   */
  listThreads(query?: ThreadQuery): Promise<ThreadSummary[]>;

  /**
   * Reads the checkpoints of a namespace as a tree of branches, without their values.
   *
   * @throws CorruptCheckpointError when the metadata of a checkpoint is no object.
   *
   * @example
   * ```ts
   * const { head, branches } = await checkpointer.history("42");
   * ```
   */
  history(threadId: string, options?: HistoryOptions): Promise<ThreadHistory>;

  /**
   * Makes a new checkpoint whose parent is the one that `config` names, or the newest of its namespace: a run that goes on
   * from it begins a branch. Nothing is deleted, and values that don't change are not stored again. Pending writes stay
   * with the checkpoint that they belong to, so that its tasks run anew. Its metadata is that of its parent, with the source
   * `fork`, the next step and no `run_id`: a filter that finds the parent by a key of yours finds it too.
   *
   * @returns The config of the new checkpoint, which is the newest of its namespace where ids are UUIDs.
   * @throws CheckpointNotFoundError when there is no such checkpoint.
   * @throws InvalidConfigError for an argument that can't be used, and for a delta channel that needs a reducer.
   *
   * @example
   * ```ts
   * const fork = await checkpointer.fork(config, { values: { plan: "B" } });
   * await graph.invoke(null, fork);
   * ```
   */
  fork(config: RunnableConfig, options?: ForkOptions): Promise<RunnableConfig>;

  /**
   * Takes a namespace back to one of its checkpoints: a new one, with the values and the metadata that {@link fork} gives it,
   * becomes the newest. What came
   * after it is still there, on a branch of its own. Other namespaces stay as they are. A run that is under way goes on: wait
   * for its end, or keep runs off by `withThreadLock`.
   *
   * @returns The config of the new checkpoint.
   * @throws CheckpointNotFoundError when there is no such checkpoint.
   * @throws InvalidConfigError for an argument that can't be used, and for a delta channel that needs a reducer.
   *
   * @example
   * ```ts
   * await checkpointer.rollback("42", before.config.configurable.checkpoint_id);
   * await graph.invoke(input, { configurable: { thread_id: "42" } });
   * ```
   */
  rollback(threadId: string, checkpointId: string, options?: RollbackOptions): Promise<RunnableConfig>;

  /**
   * Lists the threads that savers with `keepTombstones` have deleted for good, in the order of the database.
   *
   * @returns A page of them; go on with `after`, the last thread of the page.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws MigrationRequiredError where the tables are too old to have tombstones.
   *
   * @example
   * ```ts
   * const tombstones = await checkpointer.listTombstones({ limit: 20 });
   * ```
   */
  listTombstones(query?: TombstoneQuery): Promise<Tombstone[]>;

  /**
   * Deletes the tombstones of threads, so that savers with `keepTombstones` write to these threads again. What was deleted
   * does not come back. A thread without a tombstone is no error.
   *
   * @param threadIds - The threads; none for an empty list.
   * @returns Those of them that had a tombstone.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws MigrationRequiredError where the tables are too old to have tombstones.
   *
   * @example
   * ```ts
   * await checkpointer.liftTombstones(["42"]);
   * await checkpointer.importThreads(linesOf("42.ndjson"));
   * ```
   */
  liftTombstones(threadIds: readonly string[], options?: CallOptions): Promise<string[]>;
}
