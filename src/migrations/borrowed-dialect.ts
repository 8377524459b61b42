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
  readonly #lender: Kysely<DB>;

  constructor(lender: Kysely<DB>) {
    this.#lender = lender;
  }

  createAdapter(): DialectAdapter {
    return new LockedAlreadyAdapter();
  }

  createDriver(): Driver {
    return new BorrowedDriver(this.#lender);
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
class BorrowedDriver<DB> extends DummyDriver {
  readonly #connection: DatabaseConnection;

  constructor(lender: Kysely<DB>) {
    super();
    this.#connection = new BorrowedConnection(lender);
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }
}

class BorrowedConnection<DB> implements DatabaseConnection {
  readonly #lender: Kysely<DB>;

  constructor(lender: Kysely<DB>) {
    this.#lender = lender;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#lender.getExecutor().executeQuery<R>(query);
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#lender.getExecutor().stream<R>(query, chunkSize);
  }
}
