import type { Damage } from "../errors/index.js";
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
  /**
   * Called with each row that the server can't read, such as one with a damaged page or a lost part of a long value. The backup leaves it
   * out, and has the others. An increment leaves out its whole thread where earlier backups have it. Default: the export ends with the
   * error at the first such row, so that no backup lacks rows unnoticed.
   */
  readonly onDamaged?: ((damage: Damage) => void) | undefined;
}

/** The result of `importThreads`. The counts of rows leave out rows that were already stored. */
export interface ImportReport extends RowCounts {
  /** The number of threads that the import has read to their end, without those that it left. */
  readonly threads: number;
  /** The number of rows that were already stored, with the same content. */
  readonly skipped: number;
  /** The number of stored rows that could not be read, and that were replaced: with `replaceDamaged` only. */
  readonly replaced: number;
  /**
   * Stored rows that differ from those of the backup: the first of each thread that has one. The import leaves these threads; what earlier
   * transactions have stored of a long one stays. With `replaceDamaged` these are all rows that differ and were kept, and the other rows of
   * their threads are stored.
   */
  readonly damaged: readonly Damage[];
  /** Threads that the import left because they were deleted: with `keepTombstones` only. */
  readonly tombstoned: readonly string[];
  /** The named threads that the backup does not have. */
  readonly missing: readonly string[];
}

/** The options of `importThreads`. */
export interface ImportOptions extends CallOptions {
  /** Only these threads of the backup; an empty list selects none. Default: all. */
  readonly threads?: readonly string[] | undefined;
  /**
   * Replaces stored rows that can't be read by those of the backup. A stored row that differs and can be read is kept, and so is one that may
   * only need another serializer or key. Default: false, so that no stored row is replaced.
   */
  readonly replaceDamaged?: boolean | undefined;
  /** Stops at the first stored row that differs, and at the first deleted thread, and throws. Default: false, so that the report names it. */
  readonly strict?: boolean | undefined;
  /** Called after each transaction, with the counts of everything stored so far. */
  readonly onProgress?: ((progress: ImportReport) => void) | undefined;
}
