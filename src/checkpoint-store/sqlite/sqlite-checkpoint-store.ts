import { BackendCheckpointStore } from "../backend-checkpoint-store.js";
import { type CheckpointStoreOptions, checkpointStoreOptions } from "../checkpoint-store-options.js";
import { SqlBackend } from "../sql/sql-backend.js";
import { SqliteConnection } from "./sqlite-connection.js";
import { SQLITE_RECORDS } from "./sqlite-table.js";
import type { SqliteSource } from "./sqlite-source.js";
import type { RetryOptions } from "../../db/statements/retry-transient.js";
import { z } from "zod";
import { connectionOptions } from "../../parsing/connection-options.js";
import { parse } from "../../parsing/parse.js";
import { tableName } from "../sql/record-dialect.js";

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

// Strict: a misspelt option would silently have no effect.
const sqliteOptions = z.strictObject({
  ...checkpointStoreOptions,
  retry: connectionOptions.retry,
  table: tableName,
});

/** SQLite holds a row of 1,000,000,000 bytes, unless it was built with another limit. */
const MAX_TEXT_BYTES = 990_000_000;

/**
 * A checkpoint store in SQLite. Any number of processes of one machine may use a file at the same time, programs of langgraphgo among them.
 *
 * A statement blocks the process while it runs, so a signal only ends the waits before and between the attempts. What `save` has
 * acknowledged is on the disk, unless a database that you passed in has other settings.
 *
 * @typeParam State - The type of the states. It is checked only where the option `stateSchema` is set.
 *
 * @example
 * ```ts
 * import { createCheckpoint, newExecutionId } from "langgraph-checkpoint-kysely/checkpoint-store";
 * import { SqliteCheckpointStore } from "langgraph-checkpoint-kysely/checkpoint-store/sqlite";
 *
 * await using store = new SqliteCheckpointStore<{ pages: number }>("checkpoints.db");
 * await store.setup();
 * const executionId = newExecutionId();
 * await store.save(createCheckpoint({ executionId, nodeName: "fetch", state: { pages: 3 } }), { keepLast: 10 });
 * const newest = await store.latest(executionId);
 * ```
 */
export class SqliteCheckpointStore<State = unknown> extends BackendCheckpointStore<State> {
  /**
   * @param source - A path or `":memory:"`, which the first call opens, and {@link end} closes. Or an open database of better-sqlite3 or
   *   `node:sqlite`, a Kysely or a transaction of one, which the store never closes.
   * @throws InvalidConfigError for an invalid source or option, and for a path before Node.js 22.13.
   */
  constructor(source: SqliteSource, options: SqliteCheckpointStoreOptions = {}) {
    const { table, retry, ...common } = parse(sqliteOptions, options, "options");
    const backend = new SqlBackend({
      system: "sqlite",
      maxTextBytes: MAX_TEXT_BYTES,
      table,
      dialect: SQLITE_RECORDS,
      connection: new SqliteConnection(source, table, retry),
    });
    super(backend, common);
  }
}
