import type { CallOptions } from "../parsing/parse-call-options.js";
import type { RowCounts } from "../saver/model/row-counts.js";

/** Options of `prune` for a list of threads. */
export interface PruneOptions extends CallOptions {
  /** `keep_latest` keeps only the newest checkpoint of each namespace; `delete` deletes the threads. Default: `keep_latest`. */
  readonly strategy?: "keep_latest" | "delete" | undefined;
  /** Counts what would be deleted, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
}

/** Options of `deleteForRuns`. */
export interface RunDeletionOptions extends CallOptions {
  /** Counts what would be deleted, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
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
  readonly dryRun: boolean;
}

/** The progress of `prune`: the rows deleted so far, and the current thread and namespace. */
export interface PruneProgress extends RowCounts {
  readonly threadId: string;
  readonly checkpointNs: string;
  /** How many namespaces are done. */
  readonly namespacesDone: number;
}
