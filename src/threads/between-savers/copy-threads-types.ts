import { type Damage, CheckpointError, type CheckpointErrorOptions } from "../../errors/index.js";
import type { CallOptions } from "../../parsing/parse-call-options.js";

/** Options of `copyThreads`. */
export interface CopyThreadsOptions extends CallOptions {
  /** The threads to copy. Default: all of the source. */
  readonly threads?: readonly string[] | undefined;
  /** Stops at the first thread that can't be copied, and throws a `ThreadCopyError`. Default: false, so that the report names it. */
  readonly strict?: boolean | undefined;
  /** Called after each checkpoint and each thread, with what was done so far. */
  readonly onProgress?: ((progress: CopyThreadsProgress) => void) | undefined;
}

/** What `copyThreads` has done so far. */
export interface CopyThreadsProgress {
  /** The number of threads to copy. */
  readonly total: number;
  /** How many of them were copied completely, or were there already. */
  readonly threads: number;
  /** How many checkpoints were stored. */
  readonly checkpoints: number;
  /** How many checkpoints the target had already, or has dropped with `keepLast`. They may have got writes of tasks. */
  readonly skipped: number;
}

/** The result of `copyThreads`. */
export interface CopyThreadsReport extends CopyThreadsProgress {
  /** The threads that were named or found, and that the source does not have any more. */
  readonly missing: readonly string[];
  /**
   * Checkpoints that can't be copied, since the source can't read them or the target can't store their values: the first of each thread that
   * has one. What was copied of the thread before it stays.
   */
  readonly damaged: readonly Damage[];
}

/**
 * A copy of threads from another saver has stopped: a saver failed, or with `strict` a checkpoint can't be copied. `cause` says why,
 * `progress` what was done. What was stored stays.
 *
 * @remarks See `cause`. Copy again, which continues.
 *
 * @example
 * ```ts
 * if (error instanceof ThreadCopyError) log.warn({ thread: error.threadId, done: error.progress.threads }, error.message);
 * ```
 */
export class ThreadCopyError extends CheckpointError {
  override name = "ThreadCopyError";
  /** What was done before. */
  readonly progress: CopyThreadsProgress;

  constructor(problem: string, progress: CopyThreadsProgress, options: CheckpointErrorOptions = {}) {
    super("THREAD_COPY_FAILED", problem, options);
    this.progress = progress;
  }
}
