import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import type { OpenedDatabase } from "../db/opened-database.js";
import type { RunContext } from "../db/statements/transaction-steps.js";
import { statementName } from "../db/statements/statement.js";

/** Makes a Kysely whose statements run with the deadline and signal of the context, whatever the database was opened from. */
export function boundedKysely(database: OpenedDatabase, context: RunContext): Kysely<CheckpointDatabase> {
  return new Kysely<CheckpointDatabase>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new BoundedDriver(database, context),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

class BoundedDriver extends DummyDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(database: OpenedDatabase, context: RunContext) {
    super();
    this.#connection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => ({
        rows: await database.execute<Row>({ name: statementName(sql), sql, parameters }, context),
      }),
      streamQuery: () => {
        throw new TypeError("boundedKysely does not support streaming");
      },
    };
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }
}
