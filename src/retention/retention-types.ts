import type { CallOptions } from "../parsing/parse-call-options.js";
import type { RowCounts } from "../saver/model/row-counts.js";

/** Options of `prune` for a list of threads. */
export interface PruneOptions extends CallOptions {
  /** `keep_latest` keeps only the newest checkpoint of each namespace; `delete` deletes the threads. Default: `keep_latest`. */
  readonly strategy?: "keep_latest" | "delete" | undefined;
  /** Counts what would be deleted, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** As in {@link RetentionOptions}. The strategy `delete` deletes everything anyway. Default: false. */
  readonly deleteUnproven?: boolean | undefined;
}

/** Options of `deleteForRuns`. */
export interface RunDeletionOptions extends CallOptions {
  /** Counts what would be deleted, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** As in {@link RetentionOptions}. Default: false. */
  readonly deleteUnproven?: boolean | undefined;
}

/** Which checkpoints `prune` deletes, and how. At least one of `olderThanMs` and `keepLast` is required. */
export interface RetentionOptions extends CallOptions {
  /** Keeps checkpoints that are younger than this, in milliseconds by this process's clock. */
  readonly olderThanMs?: number | undefined;
  /** How many of the newest checkpoints of each namespace to keep: 1 or more. Default: 1. */
  readonly keepLast?: number | undefined;
  /** Only these threads; an empty list selects none. Default: all. */
  readonly threads?: readonly string[] | undefined;
  /** Only these namespaces; `""` is the root graph, and an empty list selects none. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Counts what would be deleted, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /**
   * Deletes values and writes that nothing references at once, and not only once this process has known for an hour that they are there
   * and their thread has a checkpoint. Use it only while nobody restores or imports. Default: false.
   */
  readonly deleteUnproven?: boolean | undefined;
  /** How many checkpoints one transaction deletes at most. Default: 500. */
  readonly batchSize?: number | undefined;
  /** Called after each transaction and after each namespace. An error that it throws ends the call. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/** Which idle threads `prune` deletes. */
export interface IdleOptions extends CallOptions {
  /**
   * The least age of a thread's newest checkpoint, in milliseconds by this process's clock. A thread whose newest checkpoint has
   * `thread_ttl_ms` in its metadata goes by that instead, and with `Infinity` only such threads are deleted.
   */
  readonly idleForMs: number;
  /** Only these threads; an empty list selects none. Default: all. */
  readonly threads?: readonly string[] | undefined;
  /** Counts what would be deleted, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Called after each thread. An error that it throws ends the call. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/** The result of `prune` or `deleteForRuns`: what it deleted, or with `dryRun` would delete. */
export interface PruneReport extends RowCounts {
  /** Threads that lost rows. */
  readonly threads: number;
  /** Namespaces that lost rows. */
  readonly namespaces: number;
  /** The named threads that have no rows; with `idleForMs`, no checkpoints. */
  readonly missing: readonly string[];
  /** What nothing references and yet stays, because it is not proven that nothing will. */
  readonly unproven: UnprovenOrphans;
  readonly dryRun: boolean;
}

/** Values and writes that look like orphans, and that a call has left. */
export interface UnprovenOrphans {
  readonly blobs: number;
  readonly writes: number;
  /** The size of the values as stored. */
  readonly bytes: number;
  /** The first 1,000 namespaces that have such rows. */
  readonly namespaces: readonly UnprovenNamespace[];
}

/** A namespace with rows that look like orphans. */
export interface UnprovenNamespace {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly blobs: number;
  readonly writes: number;
  /**
   * `unreadable`: a checkpoint of the namespace is damaged, and may reference the values. `no-checkpoint`: the namespace has none, as in
   * the middle of a restore. `recent`: this process has not known for an hour that the rows are there.
   */
  readonly reason: "unreadable" | "no-checkpoint" | "recent";
}

/** The progress of `prune`: the rows deleted so far, and the current thread and namespace. */
export interface PruneProgress extends RowCounts {
  readonly threadId: string;
  readonly checkpointNs: string;
  /** How many namespaces are done. */
  readonly namespacesDone: number;
}
