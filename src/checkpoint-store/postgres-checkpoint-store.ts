import { type ConnectionOptions, connectionOptions } from "../parsing/connection-options.js";
import {
  type CheckpointStoreOptions,
  optionsOfEveryStore,
  checkpointStoreOptions,
} from "./checkpoint-store-options.js";
import type { CheckpointStoreDatabase } from "../db/checkpoint-database.js";
import { openCall, type OpenedCall } from "../db/open-call.js";
import type { DatabaseSource } from "../db/opened-database.js";
import { CHECKPOINT_STORE_TABLE } from "../migrations/checkpoint-table.js";
import { BackendCheckpointStore } from "./backend-checkpoint-store.js";
import { SqlBackend, type RecordConnection } from "./sql/sql-backend.js";
import { z } from "zod";
import { parse } from "../parsing/parse.js";
import { tableName, type RecordDialect } from "./sql/record-dialect.js";
import { sql } from "kysely";
import { advisoryKey } from "../db/locks/advisory-key.js";
import { runStatement, runTransaction } from "../db/statements/run-statement.js";
import { type BoundStatement, Statement } from "../db/statements/statement.js";
import { checkStoring, openEmbedded } from "../health/check-health.js";
import { checkpointStoreSet } from "../migrations/checkpoint-store-set.js";
import { setUpSets } from "../migrations/set-up-sets.js";
import type { BackendCall } from "./model/backend.js";
import type { RecordScope } from "./model/stored-record.js";
import { POSTGRES } from "../db/statements/statement-dialect.js";

/** Options of a checkpoint store in Postgres. */
export interface PostgresCheckpointStoreOptions
  extends CheckpointStoreOptions, Omit<ConnectionOptions, "tenantId" | keyof CheckpointStoreOptions> {
  /**
   * The name of the table, at most 46 bytes and without a period. It is quoted. A table of langgraphgo is adopted: pass its schema and its
   * name. Default `checkpoint_store`.
   */
  readonly table?: string | undefined;
}

const { schema, prepare, retry, statementTimeoutMs } = connectionOptions;

// Strict: a misspelt option would silently have no effect.
const postgresOptions = z.strictObject({
  ...checkpointStoreOptions,
  schema,
  prepare,
  retry,
  statementTimeoutMs,
  table: tableName,
});

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
    const parsed = parse(postgresOptions, options, "options");
    super(openBackend(source, parsed), optionsOfEveryStore(parsed));
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

function openBackend(
  source: DatabaseSource<CheckpointStoreDatabase>,
  options: z.output<typeof postgresOptions>,
): SqlBackend {
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

/** @param base - The context that each call starts from. */
function postgresConnection(base: OpenedCall, table: string): RecordConnection {
  const within = ({ signal, observer }: BackendCall): OpenedCall => ({ ...base, signal, observer });
  return {
    address: base.database.address,
    setup: ({ lockTimeoutMs, ...call }) =>
      setUpSets({ ...within(call), lockTimeoutMs }, [checkpointStoreSet({ table })]),
    run: (call, statement, params) => runStatement(within(call), statement, params),
    check: async ({ findings, ...call }) => {
      const requirements = {
        stored: "checkpoints",
        sets: [checkpointStoreSet({ table })],
        tables: [table],
        privileges: ["select", "insert", "update"].map((right) => `${right} on ${table}`),
      };
      try {
        await openEmbedded(base, call.signal);
        await checkStoring(within(call), requirements, findings);
      } finally {
        const pool = base.database.poolState?.();
        if (pool !== undefined) findings.pool = pool;
      }
    },
    transact: async (call, scopes, steps) => {
      const { guard = [], statements } = steps(base.schema);
      const locks = scopes.map((scope) => ({ statement: lockScope(base.schema, table, scope) }));
      return runTransaction(within(call), { guard: [...locks, ...guard], statements });
    },
    close: () => base.database.close(),
  };
}

/** Two transactions that did not see each other's records would keep more of them than either wants. */
function lockScope(schema: string, table: string, { by, id }: RecordScope): BoundStatement<unknown> {
  return lock.bind(schema, { key: advisoryKey("checkpoints of a scope", schema, table, by, id).toString() });
}

const lock = new Statement<{ readonly key: string }, unknown>((db, parameter) =>
  db.selectNoFrom(sql<null>`pg_advisory_xact_lock(${parameter("key")}::bigint)`.as("taken")),
);

/**
 * Postgres. Values come as text: a pool that was passed in may parse JSON and times in its own way.
 */
const POSTGRES_RECORDS: RecordDialect = {
  statements: POSTGRES,
  noMetadata: null,
  toJson: (text) => sql`${text}::jsonb`,
  fromJson: (column) => sql<string>`${column}::text`,
  convertsColumns: true,
  toTime: (text) => sql<string>`${text}::timestamptz`,
  // In milliseconds. Programs of Go store microseconds.
  fromTime: (column) => sql<string>`floor(extract(epoch from ${column}) * 1000)::text`,
  // The table of a program of Go may have another collation.
  bytesOf: (id) => sql<string>`${id} collate "C"`,
  timeText: (time) => time.toISOString(),
  parseTime: (milliseconds) => new Date(Number(milliseconds)),
};
