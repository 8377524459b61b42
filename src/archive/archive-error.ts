import { CheckpointError, type CheckpointErrorOptions } from "../errors/index.js";

/**
 * A file of an archive can't be written, or can't be read back as it was written. The rows that it should hold are still in the
 * database.
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
