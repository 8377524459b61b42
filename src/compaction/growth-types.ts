import type { Damage } from "../errors/index.js";
import type { CallOptions } from "../parsing/parse-call-options.js";

/** Options of `expand`, `compact` and `sanitize`. */
export interface GrowthOptions extends CallOptions {
  /** Only these threads; an empty list selects none. Default: all. */
  readonly threads?: readonly string[] | undefined;
  /** Stops at the first damaged thread, and throws its error. Default: false, so that the report names it. */
  readonly strict?: boolean | undefined;
  /** Counts what would be stored, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Called after each transaction. An error that it throws ends the call. */
  readonly onProgress?: ((progress: GrowthProgress) => void) | undefined;
}

/** Values that are stored in another form. */
export interface RewrittenValues {
  /** The number of values. */
  readonly values: number;
  /** Their length before, in bytes, as they are stored without Postgres's own compression. */
  readonly bytesBefore: number;
  /** Their length now. */
  readonly bytesAfter: number;
}

/** The result of `expand`, `compact` or `sanitize`: what it stored in another form, or with `dryRun` would store. */
export interface GrowthReport extends RewrittenValues {
  /** Threads with such values. */
  readonly threads: number;
  /** The named threads that have no values. */
  readonly missing: readonly string[];
  /** Rows that can't be read: the first of each thread that has one. What was left of the thread stays as it is. */
  readonly damaged: readonly Damage[];
  readonly dryRun: boolean;
}

/** The progress of `expand`, `compact` or `sanitize`: what it has done so far, and the current thread. */
export interface GrowthProgress extends RewrittenValues {
  readonly threadId: string;
  /** How many threads are done. */
  readonly threadsDone: number;
}
