import type { RetryOptions } from "../../db/statements/retry-transient.js";
import type { CheckpointStoreOptions } from "../checkpoint-store-options.js";

/** Options of a checkpoint store in SQLite. */
export interface SqliteCheckpointStoreOptions extends CheckpointStoreOptions {
  /**
   * How long a call waits for another connection's lock, and for other transient faults, or `false` for no retries. Default: for 15 seconds.
   * A database that the store opened blocks the process for at most 0.1 s in each attempt.
   */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * The name of the table, at most 46 bytes and without a period. It is quoted. A table of langgraphgo is adopted. Default
   * `checkpoint_store`.
   */
  readonly table?: string | undefined;
}
