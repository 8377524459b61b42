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
 * A dialect that reads from a database and writes to a list: every statement but a query is noted instead of sent. What
 * runs on it finds the database as it is, and leaves behind what it would have done.
 */
export class RecordingDialect<DB> implements Dialect {
  /** What would have been sent, in order. */
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

// Begin and commit do nothing here, as in DummyDriver: what wraps the statements is up to whoever runs them.
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
    // A table that so far exists in the list alone has no rows, and asking for them would be an error.
    if (this.#createdHere(query.query)) return { rows: [] };
    return this.#reader.getExecutor().executeQuery<R>(query);
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#reader.getExecutor().stream<R>(query, chunkSize);
  }

  #createdHere(select: SelectQueryNode): boolean {
    const read = (select.from?.froms ?? []).filter((node) => TableNode.is(node)).map(nameOf);
    const created = this.#recorded.map(({ query }) => query).filter((node) => CreateTableNode.is(node));
    return created.some(({ table }) => read.includes(nameOf(table)));
  }
}

function nameOf({ table }: TableNode): string {
  return table.identifier.name;
}
