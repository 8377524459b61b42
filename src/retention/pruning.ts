import type { CallOptions } from "../parsing/parse-call-options.js";
import type { RowCounts } from "../saver/model/row-counts.js";

/** Drops what is no longer needed, beside savers that go on writing. */
export interface Pruning {
  /**
   * Prunes threads: of each namespace only the newest checkpoint stays, with its pending writes and all of its values.
   * The namespace of a subgraph call goes whole, with the checkpoint that the call started from. What a kept checkpoint needs of older ones stays too: the values that it shares, and for LangGraph's delta channels
   * the ancestors that their values are rebuilt from. Values that no checkpoint refers to go, and writes whose checkpoint
   * never came.
   *
   * It works in transactions of some hundred checkpoints each, and each that has been committed counts, also where the
   * call fails or is ended later. Threads are only read and written to as before meanwhile.
   *
   * @param threadIds - Those that don't exist are no error; an empty list prunes nothing.
   * @param options - `strategy`: `keep_latest`, the default, or `delete`, which deletes the threads whole.
   * @returns What went.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws DatabaseError when the database refuses.
   *
   * @example
   * ```ts
   * await checkpointer.prune(["41", "42"]);
   * await checkpointer.prune(["43"], { strategy: "delete" });
   * ```
   */
  prune(threadIds: readonly string[], options?: PruneOptions): Promise<PruneReport>;

  /**
   * Prunes by age and number, all threads or some: a checkpoint goes when it is older than `olderThanMs` and not among the
   * newest `keepLast` of its namespace. The newest checkpoint of a namespace always stays, and so does what a kept
   * checkpoint needs of older ones. Only the namespace of a subgraph call goes whole, once the checkpoint that the call started
   * from goes or is gone and all that the call stored is older than `olderThanMs`. The age is that in the checkpoint's id, a UUID of version 6; ids of another kind have no
   * age, and are never old enough.
   *
   * With `idleForMs` it deletes threads whole in which nothing was stored for a time: those whose newest checkpoint, of any
   * namespace, is older. It looks again after it has locked the checkpoints of a thread, so one that somebody is going on with
   * stays. An id that holds no time counts with the `ts` of its header here, as in `listThreads`.
   *
   * @returns What went, or with `dryRun` what would go.
   * @throws InvalidConfigError for an argument that can't be used, and where no bound is given; before any I/O.
   * @throws DatabaseError when the database refuses; what was committed by then stays done.
   *
   * @example
   * ```ts
   * const month = 30 * 24 * 60 * 60 * 1000;
   * const report = await checkpointer.prune({ olderThanMs: month, keepLast: 10, dryRun: true });
   * console.log(`${report.checkpoints} checkpoints of ${report.threads} threads, ${report.bytes} bytes`);
   * await checkpointer.prune({ idleForMs: 3 * month });
   * ```
   */
  prune(options: RetentionOptions | IdleOptions): Promise<PruneReport>;

  /**
   * Deletes the checkpoints whose metadata has one of these as its `run_id`, in all threads and namespaces, with their
   * writes; the newest of a namespace too. Those that stay read as before: what their delta channels are rebuilt from stays
   * with them, even if it is of one of the runs. Values that no checkpoint refers to any more go too.
   *
   * @param runIds - Those that no checkpoint has are no error; an empty list deletes nothing.
   * @param options - `dryRun`: counts what would go, and changes nothing.
   * @returns What went, or with `dryRun` what would go.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws DatabaseError when the database refuses; what was committed by then stays done.
   *
   * @example
   * ```ts
   * await checkpointer.deleteForRuns(["1f0a2c9e-4b7d-6c3e-8f21-0242ac120002"]);
   * ```
   */
  deleteForRuns(runIds: readonly string[], options?: RunDeletionOptions): Promise<PruneReport>;
}

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
