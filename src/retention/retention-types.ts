import type { CallOptions } from "../parsing/parse-call-options.js";
import type { RowCounts } from "../saver/model/row-counts.js";

/** How threads are pruned. */
export interface PruneOptions extends CallOptions {
  /** `keep_latest`: only the newest checkpoint of each namespace stays. `delete`: nothing does. */
  readonly strategy?: "keep_latest" | "delete" | undefined;
  /** Counts what would go, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
}

/** How `deleteForRuns` deletes. */
export interface RunDeletionOptions extends CallOptions {
  /** Counts what would go, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
}

/** What `prune` lets go, where, and how. At least one of `olderThanMs` and `keepLast` is needed. */
export interface RetentionOptions extends CallOptions {
  /** Checkpoints that are younger stay, in milliseconds by this process's clock. */
  readonly olderThanMs?: number | undefined;
  /** So many of the newest checkpoints of each namespace stay: 1 or more. Default: 1. */
  readonly keepLast?: number | undefined;
  /** Only these threads; none for an empty list. Default: all. */
  readonly threads?: readonly string[] | undefined;
  /** Only these namespaces, `""` being the root graph; none for an empty list. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Counts what would go, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** How many checkpoints go in one transaction, at most. Default: 500. */
  readonly batchSize?: number | undefined;
  /** Called after each transaction, and after each namespace; what it throws ends the call. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/** Which threads `prune` deletes for having been idle. */
export interface IdleOptions extends CallOptions {
  /** How old the newest checkpoint of a thread has to be, in milliseconds by this process's clock. */
  readonly idleForMs: number;
  /** Only these threads; none for an empty list. Default: all. */
  readonly threads?: readonly string[] | undefined;
  /** Counts what would go, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Called after each thread; what it throws ends the call. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/** What a call of `prune` or `deleteForRuns` removed, or would have. */
export interface PruneReport extends RowCounts {
  /** Threads that lost something. */
  readonly threads: number;
  /** Namespaces that lost something. */
  readonly namespaces: number;
  /** Those of the threads that were named which have no rows; with `idleForMs` no checkpoint. */
  readonly missing: readonly string[];
  readonly dryRun: boolean;
}

/** How far a call of `prune` is: the rows removed so far, and where it is at work. */
export interface PruneProgress extends RowCounts {
  readonly threadId: string;
  readonly checkpointNs: string;
  /** Namespaces that it is done with. */
  readonly namespacesDone: number;
}
