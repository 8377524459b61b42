import type { RunnableConfig } from "@langchain/core/runnables";
import type { CallOptions } from "../parsing/parse-call-options.js";
import type { ChannelReducers } from "../saver/model/channel-reducers.js";
import type { CheckpointDiff } from "./checkpoint-diff.js";

/** A write of a task, as it is recorded beside the checkpoint that the task started from. */
export interface TaskWrite {
  readonly taskId: string;
  /** Where in the graph the task stands; `""` where nobody said. */
  readonly taskPath: string;
  /** Its position in the call; below zero for errors, interrupts and the like. */
  readonly idx: number;
  readonly channel: string;
  /** The tag that the serializer gave it; `null` in rows of the first official savers. */
  readonly type: string | null;
  /** The length of the stored value. */
  readonly bytes: number;
  readonly value: unknown;
}

/** Narrows {@link Auditing.taskStats}. */
export interface TaskStatsOptions extends CallOptions {
  /** `""` is the root graph. Default: all namespaces. */
  readonly checkpointNs?: string | undefined;
  /** Default: all checkpoints. */
  readonly checkpointId?: string | undefined;
}

/** How much a task wrote. */
export interface TaskStats {
  readonly checkpointNs: string;
  readonly checkpointId: string;
  readonly taskId: string;
  readonly taskPath: string;
  /** The number of its writes. */
  readonly writes: number;
  /** The length of their values together. */
  readonly bytes: number;
  /** The length of one on average. */
  readonly meanBytes: number;
}

/** Narrows {@link Auditing.storage}. */
export interface StorageQuery extends CallOptions {
  /** Default: the whole database. */
  readonly threadId?: string | undefined;
  /** How many of the largest threads and channels are named. Default: 20. */
  readonly limit?: number | undefined;
}

/** How many rows there are, and how long they are. */
export interface StorageSize {
  readonly checkpoints: number;
  /** Headers and metadata as they are stored: JSONB, compressed where it is long. */
  readonly headerBytes: number;
  readonly blobs: number;
  /** The values of the checkpoints as they take room in their table: compressed where Postgres has done so. */
  readonly blobBytes: number;
  readonly writes: number;
  /** The values of the writes, measured like those of the checkpoints. */
  readonly writeBytes: number;
}

/** What a thread takes. */
export interface ThreadStorage extends StorageSize {
  readonly threadId: string;
}

/** What a channel takes, over all checkpoints. */
export interface ChannelStorage extends Pick<StorageSize, "blobs" | "blobBytes" | "writes" | "writeBytes"> {
  readonly channel: string;
}

/** Where the bytes are. */
export interface StorageReport {
  readonly total: StorageSize & { readonly threads: number };
  /** The largest threads, the largest first. */
  readonly threads: readonly ThreadStorage[];
  /** The largest channels, the largest first. Values that stand in headers are not among them. */
  readonly channels: readonly ChannelStorage[];
}

/** A value that {@link Auditing.rebuildBlobs} has restored. */
export interface RebuiltBlob {
  readonly channel: string;
  readonly version: string;
  /** The length of the stored value. */
  readonly bytes: number;
}

/**
 * What {@link Auditing.verify} finds:
 *
 * - `corrupt-header`: a row of `checkpoints` that holds no checkpoint
 * - `undecodable-value`, `undecodable-write`: bytes that the saver's serializer can't read
 * - `missing-value`: a channel has a version, but neither a blob nor a value in the header; a notice where Python made the
 *   checkpoint, and no row tells whether the channel was empty
 * - `missing-parent`: a checkpoint's parent is not stored; an error if a delta channel needs it, else it may have been
 *   pruned
 * - `parent-cycle`: checkpoints that are each other's ancestors
 * - `stray-writes`: writes beside a checkpoint that is not stored
 * - `stray-blob`: a blob that no checkpoint refers to
 */
export type ProblemKind =
  | "corrupt-header"
  | "undecodable-value"
  | "undecodable-write"
  | "missing-value"
  | "missing-parent"
  | "parent-cycle"
  | "stray-writes"
  | "stray-blob";

/** Something that is not as it should be, and where. */
export interface Problem {
  readonly kind: ProblemKind;
  /** `error`: something can't be read back; `notice`: nothing that anybody needs. */
  readonly severity: "error" | "notice";
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly checkpointId?: string;
  readonly channel?: string;
  readonly version?: string;
  readonly taskId?: string;
  /** For people; may change. */
  readonly message: string;
}

/** How far {@link Auditing.verify} is. */
export interface VerifyProgress {
  /** Checkpoints that were looked at. */
  readonly checkpoints: number;
  /** Values that were read, of blobs and writes. */
  readonly values: number;
  /** Problems found so far. */
  readonly problems: number;
  /** The thread that was looked at last. */
  readonly threadId: string;
}

/** What {@link Auditing.verify} can be told. */
export interface VerifyOptions extends CallOptions {
  /** Told after every page of rows. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
}

/** What {@link Auditing.verify} has found. */
export interface VerifyReport {
  /** Threads that were looked at. */
  readonly threads: number;
  /** Checkpoints that were looked at. */
  readonly checkpoints: number;
  /** Values that were read, of blobs and writes, each once. */
  readonly values: number;
  readonly problems: readonly Problem[];
}

/** Looks into what is stored: what agents did, what takes the space, what differs, what is broken. */
export interface Auditing {
  /**
   * The writes that are recorded beside a checkpoint, by task path, task and position: what the tasks did that started
   * from it.
   *
   * @param config - Names the checkpoint; the newest of the namespace is meant where it names none.
   * @returns No writes where there is no such checkpoint and nobody wrote anything for it.
   * @throws InvalidConfigError for a config without a thread, before any I/O.
   * @throws DeserializationError when a value can't be read; it names the channel.
   *
   * @example
   * ```ts
   * for (const { taskId, channel, value } of await saver.writesOf({ configurable: { thread_id: "42" } })) {
   *   console.log(taskId, channel, value);
   * }
   * ```
   */
  writesOf(config: RunnableConfig, options?: CallOptions): Promise<TaskWrite[]>;

  /**
   * How much each task of a thread wrote, by checkpoint, namespace, task path and task. The server counts, and reads no
   * value for it.
   *
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * const stats = await saver.taskStats("42", { checkpointNs: "" });
   * ```
   */
  taskStats(threadId: string, options?: TaskStatsOptions): Promise<TaskStats[]>;

  /**
   * What takes the space: headers, values and writes, in total, by thread and by channel. No value is read for it, but
   * without a thread all rows are gone through once.
   *
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   *
   * @example
   * ```ts
   * const { total, channels } = await saver.storage({ limit: 5 });
   * console.log(`${total.writeBytes} bytes of writes beside ${total.blobBytes} bytes of values`);
   * ```
   */
  storage(query?: StorageQuery): Promise<StorageReport>;

  /**
   * What changed between two checkpoints, channel by channel; they may be of two threads. A channel with the same
   * version in both checkpoints of a namespace is the same, and is not read; other channels have changed if their values
   * differ.
   *
   * @param a - Names the first checkpoint; the newest of the namespace is meant where it names none.
   * @param b - Names the second, likewise.
   * @throws InvalidConfigError for a config that can't be used, before any I/O.
   * @throws CheckpointNotFoundError where one of them is not stored.
   * @throws DeserializationError when a value can't be read; it names the channel.
   *
   * @example
   * ```ts
   * const { channels } = await saver.diff(parentConfig, config);
   * const changed = channels.filter(({ change }) => change !== "same");
   * ```
   */
  diff(a: RunnableConfig, b: RunnableConfig, options?: CallOptions): Promise<CheckpointDiff>;

  /**
   * Restores the missing values of a checkpoint from what its ancestors' tasks wrote: on the nearest ancestor that has a
   * value of the channel, or from nothing, the writes are applied by the channel's reducer, oldest first. What is stored
   * is not touched. Delta channels have no values of their own, and are left alone, and so are channels of Python that held
   * nothing. Where {@link Auditing.verify} can't tell, a reducer for the channel says that it held something.
   *
   * LangGraph.js records no task paths before 1.5: parallel tasks are applied in the order of their ids then, which need
   * not be that of the graph. A message that was written without an id gets a new one from `messagesStateReducer`.
   *
   * @param config - Names the checkpoint; the newest of the namespace is meant where it names none.
   * @param reducers - One for each channel that is missing, as the graph's annotation has it, but that it is called with
   *   `undefined` at first where no ancestor has a value; `(_, update) => update` for a channel whose last write counts.
   * @returns What was restored; nothing where nothing is missing.
   * @throws InvalidConfigError for a config that can't be used, and for a missing channel without a reducer.
   * @throws CheckpointNotFoundError where the checkpoint is not stored.
   * @throws WritesMissingError where a value can't be told from the writes that are there; nothing is stored then.
   *
   * @example
   * ```ts
   * await saver.rebuildBlobs(config, {
   *   messages: (held: BaseMessage[] = [], update: Messages) => messagesStateReducer(held, update),
   *   title: (_, update) => update,
   * });
   * ```
   */
  rebuildBlobs(
    config: RunnableConfig,
    reducers: ChannelReducers,
    options?: CallOptions,
  ): Promise<RebuiltBlob[]>;

  /**
   * Looks at everything that is stored of a thread, or of all threads, whether it can be read back: each row once, page by
   * page, beside running agents. Only what is found is kept in memory.
   *
   * Channels that an engine makes for itself, as `branch:to:…`, are taken for empty where nothing is stored of them at a
   * version that is text, as Python's saver has it. Python's saver stores nothing for any other empty channel either, nor for
   * an `UntrackedValue`: there the step decides in which the channel got its version. It is a problem where that step wrote
   * a value, none where it wrote none, and a notice where this is not recorded: after `durability="exit"`, after a prune,
   * and for an `UntrackedValue` in an update of the state.
   *
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws AbortError when the signal ended it.
   *
   * @example
   * ```ts
   * const { problems } = await saver.verify();
   * for (const { severity, threadId, message } of problems) console.log(severity, threadId, message);
   * ```
   */
  verify(threadId?: string, options?: VerifyOptions): Promise<VerifyReport>;
}
