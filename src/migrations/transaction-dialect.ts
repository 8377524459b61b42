import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  DummyDriver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
} from "kysely";

/**
 * A dialect that sends every query in the caller's transaction, and takes no migration lock.
 *
 * Kysely's Migrator takes a session lock with one key per database. An application's own migrations take the same lock, so a
 * Migrator on another connection would wait for them, for up to an hour. `inLockedTransaction` takes a transaction lock
 * instead, and runs the Migrator inside that transaction through this dialect.
 */
export class TransactionDialect<DB> implements Dialect {
  readonly #connection: TransactionConnection<DB>;

  constructor(transaction: Kysely<DB>) {
    this.#connection = new TransactionConnection(transaction);
  }

  /**
   * The first error of the database. It aborts the transaction, so that later queries fail too, and the Migrator may report one
   * of the later errors.
   */
  get firstError(): unknown {
    return this.#connection.firstError;
  }

  createAdapter(): DialectAdapter {
    return new LocklessAdapter();
  }

  createDriver(): Driver {
    return new TransactionDriver(this.#connection);
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

// Begin, commit and rollback do nothing, as in DummyDriver: the caller ends the transaction.
class TransactionDriver extends DummyDriver {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    super();
    this.#connection = connection;
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }
}

class TransactionConnection<DB> implements DatabaseConnection {
  readonly #transaction: Kysely<DB>;
  firstError: unknown;

  constructor(transaction: Kysely<DB>) {
    this.#transaction = transaction;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#transaction.getExecutor().executeQuery<R>(query);
    } catch (error) {
      this.firstError ??= error;
      throw error;
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#transaction.getExecutor().stream<R>(query, chunkSize);
  }
}
