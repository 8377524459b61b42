import pg, { type ClientBase, type Connection, type QueryConfig, type QueryResult } from "pg";

/** Statements that are sent together; the last one comes first, since there is always one. */
export type Pipeline = readonly [last: QueryConfig, ...preceding: QueryConfig[]];

/**
 * Sends statements in one round trip. Postgres takes them for one transaction, since the client asks only once, after the
 * last of them, for all that they did to be committed: one that fails undoes those before it.
 *
 * Within a transaction that is open they are part of that.
 *
 * @param closing - The names of prepared statements that the server forgets before, in the same round trip.
 * @returns The result of each, in the order in which they ran.
 */
export function queryInPipeline<Row extends object>(
  client: ClientBase,
  [last, ...preceding]: Pipeline,
  closing: readonly string[] = [],
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
  readonly closing: readonly string[];
  readonly preceding: readonly QueryConfig[];
  readonly last: QueryConfig;
}

/**
 * A query of pg's that sends others before itself. It receives the answers to all, as pg does with several results of
 * one text.
 */
class PipelinedQuery<Row extends object> extends pg.Query<Row> {
  constructor({ closing, preceding, last }: Messages, callback: Callback<Row>) {
    let notePrepared = ignore;
    super({ ...last, ...EXTENDED }, (error, results) => {
      if (!isFailure(error)) notePrepared();
      callback(error, results);
    });
    const submitLast = this.submit.bind(this);
    this.submit = (connection) => {
      connection.stream.cork();
      try {
        for (const name of closing) closeStatement(connection, name);
        const unsynced = withoutSync(connection);
        for (const statement of preceding) new pg.Query({ ...statement, ...EXTENDED }).submit(unsynced);
        submitLast(connection);
        notePrepared = () => {
          for (const { name, text } of preceding) {
            if (name !== undefined) Reflect.set(preparedOn(connection), name, text);
          }
        };
      } finally {
        connection.stream.uncork();
      }
    };
  }
}

/** What pg believes to be prepared on a connection: of a pipeline it notes the last statement alone. */
function preparedOn(connection: Connection): object {
  const prepared: unknown = Reflect.get(connection, "parsedStatements");
  return typeof prepared === "object" && prepared !== null ? prepared : {};
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
  Reflect.deleteProperty(preparedOn(connection), name);
}

function isFailure(error: Error | null | undefined): error is Error {
  return error !== null && error !== undefined;
}

function ignore(): void {
  // The last query of the pipeline does it.
}
