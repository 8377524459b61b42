import { BackendCheckpointStore } from "../backend-checkpoint-store.js";
import { parseSqliteOptions } from "../boundary/parse-sqlite-options.js";
import { commonOptions } from "../boundary/parse-checkpoint-store-options.js";
import { SqlBackend } from "../sql/sql-backend.js";
import { SqliteConnection } from "./sqlite-connection.js";
import { SQLITE_RECORDS } from "./sqlite-dialect.js";
import type { SqliteCheckpointStoreOptions } from "./sqlite-options.js";
import type { SqliteSource } from "./sqlite-source.js";

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
    const parsed = parseSqliteOptions(options);
    const { table, retry } = parsed;
    const backend = new SqlBackend({
      system: "sqlite",
      maxTextBytes: MAX_TEXT_BYTES,
      table,
      dialect: SQLITE_RECORDS,
      connection: new SqliteConnection(source, { table, retry }),
    });
    super(backend, commonOptions(parsed));
  }
}
