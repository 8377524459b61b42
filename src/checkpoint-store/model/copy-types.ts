import type { CallOptions } from "../../parsing/parse-call-options.js";

/** Options of `copyCheckpoints`. */
export interface CopyCheckpointsOptions extends CallOptions {
  /** Begins after this id, by the bytes of ids. Default: at the first one. */
  readonly after?: string | undefined;
  /** Compares the stores, and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** How many checkpoints are compared and stored at the same time, from 1 to 1,000. Default 16. */
  readonly maxConcurrency?: number | undefined;
  /** Called after each page of the source. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}

/** What `copyCheckpoints` has done so far. */
export interface CopyProgress {
  /** The number of checkpoints in the source when the copy began. */
  readonly total: number;
  /** How many of them were read. */
  readonly read: number;
  /** How many the target did not have. */
  readonly created: number;
  /** How many the target had with other content. */
  readonly replaced: number;
  /** How many the target had with the same content. */
  readonly unchanged: number;
  /**
   * The id up to which everything is stored. Another copy with it as the option `after` continues there. `undefined` until the first page
   * is done.
   */
  readonly after: string | undefined;
}
