import {
  type CompiledQuery,
  CreateTableNode,
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
  SelectQueryNode,
  TableNode,
} from "kysely";

/**
 * A dialect that sends queries to a database, but records all other statements in a list instead of sending them.
 */
export class RecordingDialect<DB> implements Dialect {
  /** The recorded statements, in order. */
  readonly recorded: CompiledQuery[] = [];
  readonly #reader: Kysely<DB>;

  constructor(reader: Kysely<DB>) {
    this.#reader = reader;
  }

  createAdapter(): DialectAdapter {
    return new PostgresAdapter();
  }

  createDriver(): Driver {
    return new RecordingDriver(this.#reader, this.recorded);
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new PostgresIntrospector(db);
  }

  createQueryCompiler(): QueryCompiler {
    return new PostgresQueryCompiler();
  }
}

// Begin and commit do nothing, as in DummyDriver. The code that runs the recorded statements adds the transaction.
class RecordingDriver<DB> extends DummyDriver {
  readonly #connection: DatabaseConnection;

  constructor(reader: Kysely<DB>, recorded: CompiledQuery[]) {
    super();
    this.#connection = new RecordingConnection(reader, recorded);
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }
}

class RecordingConnection<DB> implements DatabaseConnection {
  readonly #reader: Kysely<DB>;
  readonly #recorded: CompiledQuery[];

  constructor(reader: Kysely<DB>, recorded: CompiledQuery[]) {
    this.#reader = reader;
    this.#recorded = recorded;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!SelectQueryNode.is(query.query)) {
      this.#recorded.push(query);
      return { rows: [] };
    }
    // A query on a table that only a recorded statement creates would fail.
    if (this.#isRecordedTable(query.query)) return { rows: [] };
    return this.#reader.getExecutor().executeQuery<R>(query);
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#reader.getExecutor().stream<R>(query, chunkSize);
  }

  #isRecordedTable(select: SelectQueryNode): boolean {
    const read = (select.from?.froms ?? []).filter((node) => TableNode.is(node)).map(nameOf);
    const created = this.#recorded.map(({ query }) => query).filter((node) => CreateTableNode.is(node));
    return created.some(({ table }) => read.includes(nameOf(table)));
  }
}

function nameOf({ table }: TableNode): string {
  return table.identifier.name;
}
