import { CheckpointError, type CheckpointErrorOptions } from "../errors/index.js";

/**
 * A file of an archive can't be written or read, or is damaged; `file` names it. The rows that it should hold are still in the database,
 * or nothing was restored.
 *
 * @remarks See the message, and archive again. Restore a damaged file from a copy.
 *
 * @example
 * ```ts
 * if (error instanceof ArchiveError) log.error({ file: error.file }, error.message);
 * ```
 */
export class ArchiveError extends CheckpointError {
  override name = "ArchiveError";
  /** The name of the file. */
  readonly file: string;

  constructor(file: string, problem: string, options: CheckpointErrorOptions = {}) {
    super("ARCHIVE_FAILED", `file "${file}" of the archive ${problem}`, options);
    this.file = file;
  }
}
