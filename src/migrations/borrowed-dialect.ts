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
 * A dialect that sends every query through a connection that the caller holds, inside the caller's transaction, and
 * takes no lock of its own.
 *
 * Kysely's Migrator holds a session lock with one key per database, which an application's own migrations hold too:
 * run beside one of those on another connection, it would wait for an hour. Ours takes a transaction lock instead
 * (see `inLockedTransaction`), and lets the Migrator run underneath it through this dialect.
 */
export class BorrowedDialect<DB> implements Dialect {
  readonly #connection: BorrowedConnection<DB>;

  constructor(lender: Kysely<DB>) {
    this.#connection = new BorrowedConnection(lender);
  }

  /**
   * The first error that the database gave. Everything after it fails because it has ended the transaction, and the
   * Migrator, which looks around before it reports, reports that.
   */
  get firstError(): unknown {
    return this.#connection.firstError;
  }

  createAdapter(): DialectAdapter {
    return new LockedAlreadyAdapter();
  }

  createDriver(): Driver {
    return new BorrowedDriver(this.#connection);
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new PostgresIntrospector(db);
  }

  createQueryCompiler(): QueryCompiler {
    return new PostgresQueryCompiler();
  }
}

class LockedAlreadyAdapter extends PostgresAdapter {
  override acquireMigrationLock(): Promise<void> {
    return Promise.resolve();
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}

// Begin, commit and rollback do nothing here, as in DummyDriver: they are the lender's.
class BorrowedDriver extends DummyDriver {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    super();
    this.#connection = connection;
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }
}

class BorrowedConnection<DB> implements DatabaseConnection {
  readonly #lender: Kysely<DB>;
  firstError: unknown;

  constructor(lender: Kysely<DB>) {
    this.#lender = lender;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#lender.getExecutor().executeQuery<R>(query);
    } catch (error) {
      this.firstError ??= error;
      throw error;
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#lender.getExecutor().stream<R>(query, chunkSize);
  }
}
