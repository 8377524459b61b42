import type { CallOptions, StaleReadOptions } from "../parsing/parse-call-options.js";
import type { RowCounts } from "../saver/model/row-counts.js";

/** The options of `exportThreads`. */
export interface ExportOptions extends StaleReadOptions {
  /**
   * The threads to export. A thread without rows yields only the line that ends it. Default: all threads that the role of
   * the connection sees.
   */
  readonly threads?: readonly string[] | undefined;
  /**
   * The lines of earlier backups: a full one, and the increments since then, in order. Then the export is the next increment: it has
   * the threads that have changed since, each one whole, and of a thread that is gone only the line that ends it. The earlier
   * backups must be of the same threads, and by a role that sees the same ones. Default: the export is a full backup.
   */
  readonly since?: readonly (AsyncIterable<string> | Iterable<string>)[] | undefined;
}

/** The result of `importThreads`. The counts of rows leave out rows that were already stored. */
export interface ImportReport extends RowCounts {
  /** The number of threads that the import has read to their end. */
  readonly threads: number;
  /** The number of rows that were already stored, with the same content. */
  readonly skipped: number;
}

/** The options of `importThreads`. */
export interface ImportOptions extends CallOptions {
  /** Called after each transaction, with the counts of everything stored so far. */
  readonly onProgress?: ((progress: ImportReport) => void) | undefined;
}
