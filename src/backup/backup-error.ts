import { CheckpointError, type CheckpointErrorOptions } from "../errors/index.js";
import type { ImportReport } from "./backup-types.js";

/** The options of a {@link BackupError}. */
export interface BackupErrorOptions extends CheckpointErrorOptions {
  readonly line?: number | undefined;
  readonly restored?: ImportReport | undefined;
}

/**
 * A backup can't be imported: it is damaged, cut off or not one, an increment lacks the backup that it continues, or with `strict` a
 * stored row differs from the backup's. Or an export has stopped, because values were deleted meanwhile.
 *
 * The import keeps the rows that it has committed, and skips them when it runs again.
 *
 * @remarks `line` names the place. Import again: what is stored is skipped. Name the full backup first, then its increments in order.
 *
 * @example
 * ```ts
 * if (error instanceof BackupError) log.warn({ line: error.line, restored: error.restored }, error.message);
 * ```
 */
export class BackupError extends CheckpointError {
  override name = "BackupError";
  /** What is wrong, without the number of the line. */
  readonly problem: string;
  /** The number of the line with the problem, from 1. */
  readonly line: number | undefined;
  /** The rows that the import had committed before the error. */
  readonly restored: ImportReport | undefined;

  constructor(problem: string, { line, restored, ...options }: BackupErrorOptions = {}) {
    super("BACKUP_REFUSED", line === undefined ? problem : `line ${line}: ${problem}`, options);
    this.problem = problem;
    this.line = line;
    this.restored = restored;
  }
}
