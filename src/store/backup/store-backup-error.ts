import { CheckpointError, type CheckpointErrorOptions } from "../../errors/index.js";
import type { ImportItemsReport } from "./item-backup-types.js";

/** The options of a {@link StoreBackupError}. */
export interface StoreBackupErrorOptions extends CheckpointErrorOptions {
  readonly line?: number | undefined;
  readonly restored?: ImportItemsReport | undefined;
}

/**
 * A backup of items can't be imported: the input is not such a backup, it is truncated or damaged, or a stored item differs from the
 * backup's. The import keeps the items that it has committed, and skips them when it runs again.
 *
 * @example
 * ```ts
 * if (error instanceof StoreBackupError) log.warn({ line: error.line, restored: error.restored }, error.message);
 * ```
 */
export class StoreBackupError extends CheckpointError {
  override name = "StoreBackupError";
  /** What is wrong, without the number of the line. */
  readonly problem: string;
  /** The number of the line with the problem, from 1. */
  readonly line: number | undefined;
  /** What the import had committed before the error. */
  readonly restored: ImportItemsReport | undefined;

  constructor(problem: string, { line, restored, ...options }: StoreBackupErrorOptions = {}) {
    super("BACKUP_REFUSED", line === undefined ? problem : `line ${line}: ${problem}`, options);
    this.problem = problem;
    this.line = line;
    this.restored = restored;
  }
}
