import pg, { type ClientBase, type Connection, type QueryConfig, type QueryResult } from "pg";

/** Statements that are sent together; the last one comes first, since there is always one. */
export type Pipeline = readonly [last: QueryConfig, ...preceding: QueryConfig[]];

/**
 * Sends statements in one round trip. Postgres takes them for one transaction, since the client asks only once, after the
 * last of them, for all that they did to be committed: one that fails undoes those before it.
 *
 * Within a transaction that is open they are part of that.
 *
 * @param closing - The name of a prepared statement that the server forgets before, in the same round trip.
 * @returns The result of each, in the order in which they ran.
 */
export function queryInPipeline<Row extends object>(
  client: ClientBase,
  [last, ...preceding]: Pipeline,
  closing?: string,
): Promise<QueryResult<Row>[]> {
  return new Promise((resolve, reject) => {
    const callback: Callback<Row> = (error, results) => {
      if (isFailure(error)) reject(error);
      else resolve([results].flat());
    };
    client.query(new PipelinedQuery<Row>({ closing, preceding, last }, callback));
  });
}

/** Has pg use the extended protocol for statements without parameters too: no other can be pipelined. */
const EXTENDED = { queryMode: "extended" };

type Callback<Row extends object> = (
  error: Error | null | undefined,
  results: QueryResult<Row> | QueryResult<Row>[],
) => void;

interface Messages {
  readonly closing: string | undefined;
  readonly preceding: readonly QueryConfig[];
  readonly last: QueryConfig;
}

/**
 * A query of pg's that sends others before itself. It receives the answers to all, as pg does with several results of
 * one text.
 */
class PipelinedQuery<Row extends object> extends pg.Query<Row> {
  constructor({ closing, preceding, last }: Messages, callback: Callback<Row>) {
    super({ ...last, ...EXTENDED }, callback);
    const submitLast = this.submit.bind(this);
    this.submit = (connection) => {
      connection.stream.cork();
      try {
        if (closing !== undefined) closeStatement(connection, closing);
        const unsynced = withoutSync(connection);
        for (const statement of preceding) new pg.Query({ ...statement, ...EXTENDED }).submit(unsynced);
        submitLast(connection);
      } finally {
        connection.stream.uncork();
      }
    };
  }
}

/** The connection, but that it does not ask the server to end the transaction and to say so. */
function withoutSync(connection: Connection): Connection {
  return new Proxy(connection, {
    get: (target, name) => (name === "sync" ? ignore : (Reflect.get(target, name) as unknown)),
  });
}

/** Has the server forget a prepared statement, and pg too, which would not prepare it again. */
function closeStatement(connection: Connection, name: string): void {
  connection.close({ type: "S", name }, true);
  const parsed: unknown = Reflect.get(connection, "parsedStatements");
  if (typeof parsed === "object" && parsed !== null) Reflect.deleteProperty(parsed, name);
}

function isFailure(error: Error | null | undefined): error is Error {
  return error !== null && error !== undefined;
}

function ignore(): void {
  // The last query of the pipeline does it.
}
