import { CheckpointError, type CheckpointErrorOptions } from "../../errors/index.js";
import type { CopyProgress } from "../model/copy-types.js";

/**
 * A copy of checkpoints has stopped: a checkpoint can't be read or stored, the target has something else than was stored, or the stores
 * have other numbers of checkpoints than expected. What was stored stays. `cause` is the error of the store, where there is one.
 *
 * @example
 * ```ts
 * if (error instanceof CheckpointCopyError) await copyCheckpoints(from, to, { after: error.progress.after });
 * ```
 */
export class CheckpointCopyError extends CheckpointError {
  override name = "CheckpointCopyError";
  /** What was done before. */
  readonly progress: CopyProgress;

  constructor(problem: string, progress: CopyProgress, options: CheckpointErrorOptions = {}) {
    super("COPY_FAILED", problem, options);
    this.progress = progress;
  }
}
