import pg, { type ClientBase, type Connection, type QueryConfig, type QueryResult } from "pg";
import { noop } from "../async/noop.js";

/** Statements that are sent together. The last one comes first in the tuple, since there is always one. */
export type Pipeline = readonly [last: QueryConfig, ...preceding: QueryConfig[]];

/**
 * Sends statements in one round trip. Postgres executes them as one transaction, since the client sends one
 * Sync message, after the last of them: one that fails undoes those before it. Within an open transaction
 * they are part of that transaction.
 *
 * @param closing - The names of prepared statements that the server closes first, in the same round trip.
 * @returns The result of each statement, in the order in which they ran.
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

/**
 * Makes pg use the extended protocol for statements without parameters too: only that one can be pipelined.
 */
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
 * A pg query that sends other queries before itself. It receives the answers to all of them, as pg does for a
 * text with several statements.
 */
class PipelinedQuery<Row extends object> extends pg.Query<Row> {
  constructor({ closing, preceding, last }: Messages, callback: Callback<Row>) {
    let notePrepared = noop;
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

/** The statements that pg considers prepared on a connection. Of a pipeline, pg records only the last one. */
function preparedOn(connection: Connection): object {
  const prepared: unknown = Reflect.get(connection, "parsedStatements");
  return typeof prepared === "object" && prepared !== null ? prepared : {};
}

/** The same connection, except that it sends no Sync message. */
function withoutSync(connection: Connection): Connection {
  return new Proxy(connection, {
    get: (target, name) => (name === "sync" ? noop : (Reflect.get(target, name) as unknown)),
  });
}

/** Closes a prepared statement on the server and in pg, which otherwise would not prepare it again. */
function closeStatement(connection: Connection, name: string): void {
  connection.close({ type: "S", name }, true);
  Reflect.deleteProperty(preparedOn(connection), name);
}

function isFailure(error: Error | null | undefined): error is Error {
  return error !== null && error !== undefined;
}
