import {
  Kysely,
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  CreateTableNode,
  SelectQueryNode,
  TableNode,
} from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import type { MigrationSet } from "./migration-set.js";
import type { MigratedTables, MigrationStep } from "./steps/step.js";

/** A dialect of Postgres with one connection. Begin, commit and rollback do nothing: the caller ends the transaction. */
class OneConnectionDialect implements Dialect {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  createAdapter(): DialectAdapter {
    return new LocklessAdapter();
  }

  createDriver(): Driver {
    const driver = new DummyDriver();
    driver.acquireConnection = () => Promise.resolve(this.#connection);
    return driver;
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new PostgresIntrospector(db);
  }

  createQueryCompiler(): QueryCompiler {
    return new PostgresQueryCompiler();
  }
}

class LocklessAdapter extends PostgresAdapter {
  override acquireMigrationLock(): Promise<void> {
    return Promise.resolve();
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * A dialect that sends every query in the caller's transaction, and takes no migration lock.
 *
 * Kysely's Migrator takes a session lock with one key per database. An application's own migrations take the same lock, so a
 * Migrator on another connection would wait for them, for up to an hour. `inLockedTransaction` takes a transaction lock
 * instead, and runs the Migrator inside that transaction through this dialect.
 */
export class TransactionDialect<DB> extends OneConnectionDialect {
  /**
   * The first error of the database. It aborts the transaction, so that later queries fail too, and the Migrator may report one
   * of the later errors.
   */
  firstError: unknown;

  constructor(transaction: Kysely<DB>) {
    super({
      executeQuery: <R>(query: CompiledQuery) =>
        transaction
          .getExecutor()
          .executeQuery<R>(query)
          .catch((error: unknown) => {
            this.firstError ??= error;
            throw error;
          }),
      streamQuery: <R>(query: CompiledQuery, chunkSize: number) =>
        transaction.getExecutor().stream<R>(query, chunkSize),
    });
  }
}

/** A dialect that sends queries to a database, but records all other statements in a list instead of sending them. */
export class RecordingDialect<DB> extends OneConnectionDialect {
  /** The recorded statements, in order. */
  readonly recorded: readonly CompiledQuery[];

  constructor(reader: Kysely<DB>) {
    const recorded: CompiledQuery[] = [];
    super({
      executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
        if (!SelectQueryNode.is(query.query)) recorded.push(query);
        // A query on a table that only a recorded statement creates would fail.
        else if (!readsCreated(query.query, recorded)) return reader.getExecutor().executeQuery<R>(query);
        return { rows: [] };
      },
      streamQuery: <R>(query: CompiledQuery, chunkSize: number) =>
        reader.getExecutor().stream<R>(query, chunkSize),
    });
    this.recorded = recorded;
  }
}

/** The Migrator requires a lock table, but takes no lock here: see `inLockedTransaction`. */
const MIGRATION_LOCK_TABLE = "checkpoint_kysely_migration_lock";

/** Creates Kysely's Migrator for the steps of one set in a schema. It runs in the transaction of the dialect. */
export function createMigrator(
  dialect: TransactionDialect<CheckpointDatabase>,
  schema: string,
  { record, steps }: MigrationSet,
): Migrator {
  const migrations = Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [name, migrationFor(step, schema)]),
  );
  return new Migrator({
    db: new Kysely<CheckpointDatabase>({ dialect }),
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableSchema: schema,
    migrationTableName: record,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
}

function migrationFor(step: MigrationStep, schema: string): Migration {
  return {
    up: (db: Kysely<MigratedTables>) => step.up(db.withSchema(schema), schema),
    down: (db: Kysely<MigratedTables>) => step.down(db.withSchema(schema), schema),
  };
}

function readsCreated(select: SelectQueryNode, recorded: readonly CompiledQuery[]): boolean {
  const read = (select.from?.froms ?? []).filter((node) => TableNode.is(node)).map(nameOf);
  const created = recorded.map(({ query }) => query).filter((node) => CreateTableNode.is(node));
  return created.some(({ table }) => read.includes(nameOf(table)));
}

function nameOf({ table }: TableNode): string {
  return table.identifier.name;
}
