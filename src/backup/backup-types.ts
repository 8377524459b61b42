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
