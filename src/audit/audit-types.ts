import type { CallOptions } from "../parsing/parse-call-options.js";

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
