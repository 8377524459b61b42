import { CheckpointError, type CheckpointErrorOptions } from "../errors/index.js";
import type { ImportReport } from "./backup-types.js";

/** What a {@link BackupError} is built from. */
export interface BackupErrorOptions extends CheckpointErrorOptions {
  readonly line?: number | undefined;
  readonly restored?: ImportReport | undefined;
}

/**
 * A backup that can't be taken in: it is none, it is cut off or damaged, or its rows are there already and differ.
 * Whatever was stored stays, and is skipped when the import is begun again.
 *
 * @example
 * ```ts
 * if (error instanceof BackupError) log.warn({ line: error.line, restored: error.restored }, error.message);
 * ```
 */
export class BackupError extends CheckpointError {
  /** The line that it was found at, from 1. */
  readonly line: number | undefined;
  /** What had been stored until then. */
  readonly restored: ImportReport | undefined;

  constructor(problem: string, { line, restored, ...options }: BackupErrorOptions = {}) {
    super("BACKUP_REFUSED", line === undefined ? problem : `line ${line}: ${problem}`, options);
    this.line = line;
    this.restored = restored;
  }
}
