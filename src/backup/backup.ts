import type { CallOptions } from "../parsing/parse-call-options.js";
import type { RowCounts } from "../saver/model/row-counts.js";

/** What `exportThreads` is told. */
export interface ExportOptions extends CallOptions {
  /** The threads to write out; of one that has no rows only its end is noted. Default: all that the role sees. */
  readonly threads?: readonly string[] | undefined;
}

/** What `importThreads` has stored: rows that were there already are not among the counts of rows. */
export interface ImportReport extends RowCounts {
  /** The threads that were read to their end. */
  readonly threads: number;
  /** Rows that were there already, and equal. */
  readonly skipped: number;
}

/** What `importThreads` is told. */
export interface ImportOptions extends CallOptions {
  /** Called after every portion that is stored, with what has been stored so far. */
  readonly onProgress?: ((progress: ImportReport) => void) | undefined;
}

/** Writes threads out as a text that any schema of any server can take in again, byte for byte. */
export interface Backup {
  /**
   * Writes threads out as lines of JSON: a header, the rows as they are stored, and an end with the counts and a checksum.
   * Values are not decoded, so that the key of encrypted ones is not needed. What is held at a time has a bound, however long a
   * thread or a value is: long values come in pieces of 57 KiB.
   *
   * Other processes may write, prune and delete meanwhile. Every checkpoint comes with all of its values and writes as they
   * were at one moment; so do up to 1,000 checkpoints of a thread together. A longer thread is read in portions, the newest
   * first: where it has delta channels, don't prune it at the same time.
   *
   * @returns The lines, without their line feeds.
   * @throws InvalidConfigError for an argument that can't be used, before any I/O.
   * @throws AbortError when the signal ended it.
   *
   * @example
   * ```ts
   * const lines = checkpointer.exportThreads({ threads: ["42"] });
   * await pipeline(lines, async function* (all) { for await (const line of all) yield `${line}\n`; }, createWriteStream("42.ndjson"));
   * ```
   */
  exportThreads(options?: ExportOptions): AsyncGenerator<string>;

  /**
   * Stores what {@link exportThreads} has written, in portions; a value is stored whole, and held for it. Nothing is
   * overwritten: a row that is there and equal is skipped, so that an import that was cut short is begun again and goes on;
   * one that is there and differs ends it.
   *
   * Other processes may write, prune and delete meanwhile. Each portion, of up to 1,000 rows or 8 MB, is one transaction.
   * Where somebody deletes values of a longer thread before the checkpoints that reference them are stored, the import fails
   * with a BackupError; import the backup again then.
   *
   * @param lines - Without their line feeds.
   * @returns What was stored.
   * @throws BackupError for what is no backup, one that is cut off or damaged, rows that are there and differ, and values that
   *   others have deleted meanwhile. It has what was stored until then.
   * @throws ThreadDeletedError with `keepTombstones`, for a thread that was deleted.
   *
   * @example
   * ```ts
   * const report = await checkpointer.importThreads(other.exportThreads());
   * ```
   */
  importThreads(
    lines: AsyncIterable<string> | Iterable<string>,
    options?: ImportOptions,
  ): Promise<ImportReport>;
}
