import { CheckpointError, type CheckpointErrorOptions } from "../../errors/index.js";
import type { CopyThreadsProgress } from "./copy-threads-types.js";

/**
 * A copy of threads from another saver has stopped: `cause` is the error of the source or of the target. What was stored stays, and the
 * same call continues. The error names the thread, and the checkpoint where it is about one.
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
