import type { Damage } from "../errors/index.js";
import type { CallOptions } from "../parsing/parse-call-options.js";
import type { IdleOptions, RetentionOptions, UnprovenOrphans } from "../retention/retention-types.js";
import type { RowCounts } from "../saver/model/row-counts.js";

/**
 * Where an archive is kept: a bucket, a folder, or anything else that keeps files under names. `archiveFolder` is a folder.
 * The names contain only letters, digits and `-_.~%`, and at most 200 of them.
 *
 * @example
 * ```ts
 * const target: ArchiveTarget = {
 *   write: async (name, content) => bucket.upload(`archive/${name}`, Readable.from(content)),
 *   read: async (name) => bucket.download(`archive/${name}`),
 *   list: (prefix) => bucket.names(`archive/${prefix}`),
 * };
 * ```
 */
export interface ArchiveTarget {
  /**
   * Stores a file. It resolves only when the file is durable and whole: rows are deleted in reliance on it. If it rejects, or
   * never ends, there must be no file of that name, or one that is recognized as incomplete when it is read.
   *
   * @param name - A name that was never used before.
   */
  readonly write: (
    name: string,
    content: AsyncIterable<Uint8Array>,
    options: ArchiveCallOptions,
  ) => Promise<void>;
  /** Reads a file from its beginning. Rejects if there is no such file. */
  readonly read: (
    name: string,
    options: ArchiveCallOptions,
  ) => Promise<AsyncIterable<Uint8Array>> | AsyncIterable<Uint8Array>;
  /** Lists the names of the files whose names begin with `prefix`, in any order. It may be called often. */
  readonly list: (prefix: string, options: ArchiveCallOptions) => AsyncIterable<string> | Iterable<string>;
}

/** What each call of an {@link ArchiveTarget} gets. */
export interface ArchiveCallOptions {
  /** The signal of the call. */
  readonly signal: AbortSignal | undefined;
}

/** Archives whole threads, whatever their age. */
export interface ThreadArchiveOptions extends CallOptions {
  readonly strategy: "delete";
  readonly threads: readonly string[];
  /** Counts what would be archived, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
}

/** Where an archive goes to. */
export interface ArchiveDestination {
  readonly to: ArchiveTarget;
  /**
   * `thread`: a file holds rows of one thread, so a thread is found by the names of files. `run`: a file holds up to 50,000 rows
   * of any threads, so that many small threads take few files, and a restored thread is searched for in all of them. Default: `thread`.
   */
  readonly filesPer?: "thread" | "run" | undefined;
  /**
   * What files are compressed with. Default: `zstd` where Node.js has it, from 22.15 and 23.8 on, and otherwise `gzip`. Choose `gzip`
   * for files that an older Node.js is to restore. A restore recognizes either.
   */
  readonly compression?: ArchiveCompression | undefined;
}

/** An algorithm for the files of an archive. */
export type ArchiveCompression = "zstd" | "gzip";

/** Which rows `archive` moves: by the same rules as `prune` deletes rows. */
export type ArchiveRule = RetentionOptions | IdleOptions | ThreadArchiveOptions;

/** The options of `archive`: a rule, and where the rows go to. */
export type ArchiveOptions = ArchiveRule & ArchiveDestination;

/** The result of `archive`. The counts of rows are those that were removed after they had been verified in the archive. */
export interface ArchiveResult extends RowCounts {
  /** Threads that lost rows. */
  readonly threads: number;
  /** Files that were written. */
  readonly files: number;
  /**
   * Threads of which rows stayed, because they changed while they were archived. The next run archives them again.
   */
  readonly changed: number;
  /** The named threads that have no rows; with `idleForMs`, no checkpoints. */
  readonly missing: readonly string[];
  /** What nothing references and yet stays, because it is not proven that nothing will. */
  readonly unproven: UnprovenOrphans;
  readonly dryRun: boolean;
}

/** The options of `restore`. */
export interface RestoreOptions extends CallOptions {
  readonly from: ArchiveTarget;
  /** The threads to restore. Each one is restored from all files that hold rows of it. Default: all threads of the archive. */
  readonly threads?: readonly string[] | undefined;
  /**
   * Lifts the tombstones of the threads first. Default: false, so that a saver with `keepTombstones` refuses a deleted thread.
   */
  readonly liftTombstones?: boolean | undefined;
  /**
   * Stops at a damaged file, at the first stored row that differs, and at the first deleted thread, and throws. Default: false, so that the
   * report names them.
   */
  readonly strict?: boolean | undefined;
  /** Called after each transaction, with everything that is stored so far. An error that it throws ends the call. */
  readonly onProgress?: ((progress: RowCounts & { readonly skipped: number }) => void) | undefined;
}

/** The result of `restore`. The counts of rows leave out rows that were already stored. */
export interface RestoreReport extends RowCounts {
  /** The threads that were found in the archive, without those that were left. */
  readonly threads: number;
  /** The files that were read. */
  readonly files: number;
  /** The number of rows that were already stored, with the same content. */
  readonly skipped: number;
  /** The named threads of which the archive holds nothing. */
  readonly missing: readonly string[];
  /**
   * Files that the archive has lost, as patterns of their names. A file names the one before it. Which threads they held is known only by
   * the names of files with `filesPer: "thread"`.
   */
  readonly lostFiles: readonly string[];
  /**
   * Restored threads of which checkpoints are missing: what was stored before has a parent that the archive does not have, or the archive
   * has only older checkpoints, and the newer ones are not stored. Their newest file is lost, or somebody deleted these checkpoints.
   */
  readonly incomplete: readonly string[];
  /** Files that can't be read. Nothing of them was restored. */
  readonly damagedFiles: readonly DamagedFile[];
  /**
   * The threads that were left: of each the first stored row that differs from that of the archive, or the damaged file that holds rows of
   * it. What earlier transactions have stored of a long thread stays.
   */
  readonly damaged: readonly Damage[];
  /** Threads that were left because they were deleted: with `keepTombstones` only, unless `liftTombstones` is set. */
  readonly tombstoned: readonly string[];
}

/** A file of an archive that can't be read. */
export interface DamagedFile {
  readonly file: string;
  /** Why it can't be read. A text for people, which may change between versions. */
  readonly reason: string;
}
