import type { CheckpointStoreDatabase } from "../../db/checkpoint-database.js";
import { openCall } from "../../db/open-call.js";
import type { DatabaseSource } from "../../db/opened-database.js";
import { CHECKPOINT_STORE_TABLE } from "../../migrations/checkpoint-table.js";
import { BackendCheckpointStore } from "../backend-checkpoint-store.js";
import { parsePostgresOptions, type PostgresOptions } from "../boundary/parse-postgres-options.js";
import { commonOptions } from "../boundary/parse-checkpoint-store-options.js";
import { SqlBackend } from "../sql/sql-backend.js";
import { postgresConnection } from "./postgres-connection.js";
import { POSTGRES_RECORDS } from "./postgres-dialect.js";
import type { PostgresCheckpointStoreOptions } from "./postgres-options.js";

/** JSONB holds 255 MiB. */
const MAX_TEXT_BYTES = 255 * 2 ** 20;

/**
 * A checkpoint store in PostgreSQL. Each call takes one statement and one round trip. A save with `keepLast` is one transaction: also in
 * one round trip, or in two with `concurrency: "optimistic"`.
 *
 * The state and the metadata are JSONB, so that SQL can read them. A transient fault is retried within `retry`.
 *
 * @typeParam State - The type of the states. It is checked only where the option `stateSchema` is set.
 *
 * @example
 * ```ts
 * import { createCheckpoint, newExecutionId, PostgresCheckpointStore } from "langgraph-checkpoint-kysely/checkpoint-store";
 *
 * await using store = new PostgresCheckpointStore<{ pages: number }>("postgres://localhost/agents");
 * await store.setup();
 * const executionId = newExecutionId();
 * await store.save(createCheckpoint({ executionId, nodeName: "fetch", state: { pages: 3 } }), { keepLast: 10 });
 * const newest = await store.latest(executionId);
 * ```
 */
export class PostgresCheckpointStore<State = unknown> extends BackendCheckpointStore<State> {
  /**
   * @param source - The database. The store opens a described database at the first call, and {@link end} closes it. It never closes a
   *   pool, a Kysely or a PGlite that you pass in. In a transaction that you pass in, a failed statement of the store makes the whole
   *   transaction fail.
   * @throws InvalidConfigError for an invalid source or option.
   */
  constructor(source: DatabaseSource<CheckpointStoreDatabase>, options: PostgresCheckpointStoreOptions = {}) {
    const parsed = parsePostgresOptions(options);
    super(openBackend(source, parsed), commonOptions(parsed));
  }

  /**
   * Creates a store on a connection string. It connects at the first call, and {@link end} closes it.
   *
   * @param connString - `postgres://…` as `pg` takes it, `memory://` for PGlite in memory, `file://folder` for PGlite in a folder.
   *
   * @example
   * ```ts
   * await using store = PostgresCheckpointStore.fromConnString(process.env.DATABASE_URL ?? "memory://");
   * ```
   */
  static fromConnString<State = unknown>(
    connString: string,
    options: PostgresCheckpointStoreOptions = {},
  ): PostgresCheckpointStore<State> {
    return new PostgresCheckpointStore<State>(connString, options);
  }
}

function openBackend(source: DatabaseSource<CheckpointStoreDatabase>, options: PostgresOptions): SqlBackend {
  const { table } = options;
  const checkpointTable = table === CHECKPOINT_STORE_TABLE ? undefined : table;
  const call = { ...openCall(source, options, []), optionalTables: ["checkpoint-store"], checkpointTable };
  return new SqlBackend({
    system: "postgresql",
    maxTextBytes: MAX_TEXT_BYTES,
    table,
    dialect: POSTGRES_RECORDS,
    connection: postgresConnection(call, table),
  });
}
