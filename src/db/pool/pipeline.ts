import type { Duplex } from "node:stream";
import pg, { type ClientBase, type Connection, type Pool } from "pg";
import { clientClassOf } from "./client-like.js";
import { type ToBuffer, toBufferOf } from "./driver-buffers.js";
import { parserOf, type ParseText } from "../result-types.js";
import type { QueryParameter, Query } from "./to-query.js";

/**
 * Sends statements in one round trip. Postgres executes them as one transaction, since the client sends one
 * Sync message, after the last of them: one that fails undoes those before it. Within an open transaction
 * they are part of that transaction.
 *
 * @param prepared - What is prepared on the connection. A query with a name is prepared there at its first use.
 * @returns The rows of each statement, in the order in which they ran.
 */
export function sendPipeline<Row>(
  client: ClientBase,
  queries: readonly Query[],
  prepared: PreparedStatements,
): Promise<Row[][]> {
  return new Promise((resolve, reject) => {
    const callback: Callback<Row> = (error, rows = []) => {
      if (error) reject(error);
      else resolve(rows);
    };
    client.query(new Pipeline<Row>({ queries, prepared, callback }));
  });
}

/** Whether a query of this pool reads the messages of the server itself. In `pg-native` libpq does, one statement at a time. */
export function canPipeline(pool: Pool): boolean {
  const query: unknown = Reflect.get(clientClassOf(pool), "Query");
  return typeof query !== "function" || "handleRowDescription" in (query.prototype as object);
}

type Callback<Row> = (error: Error | null | undefined, rows?: Row[][]) => void;

interface PipelineParts<Row> {
  readonly queries: readonly Query[];
  readonly prepared: PreparedStatements;
  readonly callback: Callback<Row>;
}

interface Sent<Row> {
  readonly query: Query;
  /** Absent for a query without a name. */
  readonly prepared: PreparedStatement | undefined;
  readonly rows: Row[];
}

/** A message of the server as pg passes it on, with the columns of a statement or the values of a row. */
interface Message<Field> {
  readonly fields: readonly Field[];
}

interface SentColumn {
  readonly name: string;
  readonly dataTypeID: number;
}

/**
 * Several statements in the place of a query of pg, which calls `submit` and passes the server's answers on to the other methods. A
 * query of pg itself asks for the columns of its statement each time, which takes longer than to read a row.
 */
class Pipeline<Row> extends pg.Query {
  declare callback: Callback<Row>;
  readonly #parts: PipelineParts<Row>;
  readonly #sent: Sent<Row>[] = [];
  /** How many of the statements the server has completed. */
  #completed = 0;
  /** The columns of the statement that the server is answering, where it has described them. */
  #described: readonly Column[] | undefined;

  constructor(parts: PipelineParts<Row>) {
    const { text = "", values } = parts.queries.at(-1) ?? {};
    // What instrumentations of pg show.
    super(text, values);
    this.callback = parts.callback;
    this.#parts = parts;
    this.submit = (connection) => {
      this.#submit(connection);
    };
  }

  #submit(connection: Connection): void {
    const { queries, prepared } = this.#parts;
    // Sockets of Cloudflare Workers can't be corked.
    const stream: Partial<Duplex> = connection.stream;
    stream.cork?.();
    try {
      for (const query of queries.length > 1 ? unrepeated(queries, prepared) : queries) {
        const { statement, closing } = prepared.use(query.name);
        // First, because the server skips what follows a statement that fails.
        for (const name of closing) connection.close({ type: "S", name }, true);
        this.#sent.push({ query, prepared: statement, rows: [] });
      }
      const toBuffer = toBufferOf(connection);
      for (const sent of this.#sent) send(connection, sent, toBuffer);
      connection.sync();
    } catch (error) {
      // The server undoes what was sent when the connection ends before the Sync message.
      this.callback(asError(error));
      connection.stream.destroy();
    } finally {
      stream.uncork?.();
    }
  }

  handleRowDescription({ fields }: Message<SentColumn>): void {
    this.#described = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
  }

  handleDataRow({ fields }: Message<string | null>): void {
    const { prepared, rows } = this.#answered();
    rows.push(toRow(this.#described ?? prepared?.columns ?? [], fields) as Row);
  }

  handleCommandComplete(): void {
    const { query, prepared, rows } = this.#answered();
    if (prepared !== undefined) prepared.columns ??= this.#described ?? [];
    query.onRows?.(rows);
    this.#described = undefined;
    this.#completed++;
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    const results: Row[][] = [];
    for (const { rows } of this.#sent) results.push(rows);
    this.callback(undefined, results);
  }

  #answered(): Sent<Row> {
    const sent = this.#sent[this.#completed];
    if (sent === undefined) throw new Error("the server answered more statements than were sent");
    return sent;
  }
}

/** A statement that is not prepared yet, and occurs again, is sent without its name then: the server prepares a name once. */
function unrepeated(queries: readonly Query[], prepared: PreparedStatements): readonly Query[] {
  const names = new Set<string>();
  return queries.map((query) => {
    const { name, text, values } = query;
    if (name === undefined || prepared.has(name)) return query;
    if (names.has(name)) return { text, values };
    names.add(name);
    return query;
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function send(connection: Connection, { query, prepared }: Sent<unknown>, toBuffer: ToBuffer): void {
  const { name = "", text } = query;
  const values: QueryParameter[] = [];
  for (const value of query.values) values.push(Buffer.isBuffer(value) ? toBuffer(value) : value);
  const isPrepared = prepared?.columns !== undefined;
  if (!isPrepared) connection.parse({ name, text, types: [] }, true);
  connection.bind({ statement: name, values }, true);
  if (!isPrepared) connection.describe({ type: "P", name: "" }, true);
  connection.execute({}, true);
}

function toRow(columns: readonly Column[], fields: readonly (string | null)[]): object {
  const row: Record<string, unknown> = {};
  for (const [index, { name, parse }] of columns.entries()) {
    const value = fields[index] ?? null;
    row[name] = value === null ? null : parse(value);
  }
  return row;
}

/**
 * How many prepared statements one connection keeps. Each takes 130 to 190 kB in its backend, so that all of
 * them take less than 20 MB. A saver uses about ten all the time, and a few dozen with all of its features.
 * Only savers for many schemas that share a connection need more.
 */
export const MAX_PREPARED_STATEMENTS = 100;

/** A column of the rows of a statement. */
export interface Column {
  readonly name: string;
  readonly parse: ParseText;
}

/** A statement that was sent to be prepared. */
export interface PreparedStatement {
  /** Known as soon as the statement has run. Until then nobody knows whether it is prepared. */
  columns: readonly Column[] | undefined;
}

/** The statements that are prepared on one connection. It keeps the most recently used ones. */
export class PreparedStatements {
  /** By name, least recently used first. */
  readonly #statements = new Map<string, PreparedStatement>();

  /** Whether a statement is known to be prepared. */
  has(name: string): boolean {
    return this.#statements.get(name)?.columns !== undefined;
  }

  /**
   * Records that a statement is about to be sent.
   *
   * @param name - Its name; `undefined` for one that is not prepared.
   * @returns The statement, and the names of those to close first: a statement that may be prepared, and must be prepared again, and
   * the least recently used one where there are too many.
   */
  use(name: string | undefined): { statement: PreparedStatement | undefined; closing: string[] } {
    if (name === undefined) return { statement: undefined, closing: [] };
    const known = this.#statements.get(name);
    const statement = known ?? { columns: undefined };
    this.#statements.delete(name);
    this.#statements.set(name, statement);
    const closing = known !== undefined && known.columns === undefined ? [name] : [];
    if (this.#statements.size <= MAX_PREPARED_STATEMENTS) return { statement, closing };
    const [leastRecent = name] = this.#statements.keys();
    this.#statements.delete(leastRecent);
    return { statement, closing: [...closing, leastRecent] };
  }
}
