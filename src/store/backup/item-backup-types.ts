import type { CallOptions } from "../../parsing/parse-call-options.js";

/** The options of `exportItems`. */
export interface ExportItemsOptions extends CallOptions {
  /** Only the items of this namespace and of those below it. Default: all items. */
  readonly namespace?: readonly string[] | undefined;
}

/** The options of `importItems`. */
export interface ImportItemsOptions extends CallOptions {
  /** Called after each transaction, with the counts of everything read so far. */
  readonly onProgress?: ((progress: ImportItemsReport) => void) | undefined;
}

/** The result of `importItems`. */
export interface ImportItemsReport {
  /** The number of items that were stored. */
  readonly items: number;
  /** The number of items that were already stored, with the same content. */
  readonly skipped: number;
  /** The number of items whose time was over, so that they were left out. */
  readonly expired: number;
}
