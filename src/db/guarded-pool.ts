import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from "pg";
import { ConnectionError } from "../errors.js";
import type { BoundStatement } from "./statement.js";
import { toBinaryArray } from "./to-binary-array.js";

/** After these a prepared statement is worthless on its connection: DISCARD ALL, or a table that changed under it. */
const STALE_STATEMENT_STATES = new Set(["26000", "0A000"]);

/** How statements are sent. */
export interface SendOptions {
  /** Whether by name, so that Postgres plans each once per connection. */
  readonly prepare: boolean;
}

/**
 * A `pg` pool as Kysely's dialect takes it, with two things that it lacks: a connection that dies never takes the
 * process down with it, and our own statements are sent as prepared ones, past the parts of Kysely that they don't need.
 */
export class GuardedPool implements PostgresPool {
  readonly #pool: Pool;
  readonly #prepare: boolean;
  readonly #clients = new WeakMap<PoolClient, GuardedClient>();
  readonly options: object;

  constructor(pool: Pool, { prepare }: SendOptions) {
    this.#pool = pool;
    this.#prepare = prepare;
    this.options = pool.options;
    // Without a listener Node ends the process when the server drops an idle connection. The pool has discarded the
    // connection by then, and the next query opens another: there is nothing left to do.
    // One listener does for all savers on a pool, and stays: the pool may have another saver when this one is closed.
    if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
  }

  /** Sends one of our own statements on a connection of the pool, and returns its rows. */
  async execute<Row>(statement: BoundStatement<Row>): Promise<Row[]> {
    const client = await this.connect();
    try {
      return await client.execute(statement, this.#prepare);
    } finally {
      // A connection that broke is not put back: pg's client knows, and the pool asks it.
      client.release();
    }
  }

  /** Sends several of our own statements in one transaction, on one connection. */
  async executeAll(statements: readonly BoundStatement<unknown>[]): Promise<void> {
    const client = await this.connect();
    let isClean = false;
    try {
      await client.executeAll(statements);
      isClean = true;
    } finally {
      // Where it failed the transaction may be open still: the server ends it when it sees the connection go.
      client.release(!isClean);
    }
  }

  async connect(): Promise<GuardedClient> {
    if (this.#pool.ended) throw new ConnectionError("the pool has been ended", { transient: false });
    const client = await this.#pool.connect();
    // The pool listens to idle clients only; one that is checked out has nobody to hear that its backend died.
    client.on("error", ignore);
    return this.#guarded(client);
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  // Kysely remembers what it knows of a connection by the client's identity.
  #guarded(client: PoolClient): GuardedClient {
    const known = this.#clients.get(client);
    if (known !== undefined) return known;
    const guarded = new GuardedClient(client);
    this.#clients.set(client, guarded);
    return guarded;
  }
}

class GuardedClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  #losesStatements = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    query: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof query !== "string") throw new TypeError("the dialect is opened without a cursor class");
    return this.#query(query, [...parameters]);
  }

  release(discard?: boolean): void {
    this.#client.off("error", ignore);
    this.#client.release(discard);
  }

  async execute<Row>({ name, sql, parameters }: BoundStatement<Row>, prepare: boolean): Promise<Row[]> {
    const unnamed = { text: sql, values: parameters.map(toBinaryArray) };
    if (!prepare || this.#losesStatements) return (await this.#send<Row>(unnamed)).rows;
    try {
      return (await this.#send<Row>({ name, ...unnamed })).rows;
    } catch (error) {
      if (!isStale(error)) throw error;
      // What pg believes to be prepared here is not: this connection goes on without names.
      this.#losesStatements = true;
      return (await this.#send<Row>(unnamed)).rows;
    }
  }

  /**
   * Without names: a statement that is no longer prepared would end the transaction, and where several are sent
   * planning is the least of it.
   */
  async executeAll(statements: readonly BoundStatement<unknown>[]): Promise<void> {
    await this.#send({ text: "begin" });
    for (const { sql, parameters } of statements) {
      await this.#send({ text: sql, values: parameters.map(toBinaryArray) });
    }
    await this.#send({ text: "commit" });
  }

  async #query<R>(text: string, values: unknown[]): Promise<PostgresQueryResult<R>> {
    const { command, rowCount, rows } = await this.#send<R>({ text, values });
    return { command: isCommand(command) ? command : "SELECT", rowCount: rowCount ?? 0, rows };
  }

  #send<R>(query: QueryConfig): Promise<QueryResult<R & QueryResultRow>> {
    return this.#client.query<R & QueryResultRow>(query);
  }
}

type Command = PostgresQueryResult<unknown>["command"];

const COMMANDS: readonly string[] = [
  "UPDATE",
  "DELETE",
  "INSERT",
  "SELECT",
  "MERGE",
  "COMMIT",
  "ROLLBACK",
] satisfies Command[];

// Kysely tells these apart; whatever else the server ran (DDL, SET) has neither rows nor a count that it would use.
function isCommand(command: string): command is Command {
  return COMMANDS.includes(command);
}

function isStale(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    STALE_STATEMENT_STATES.has(String(error.code))
  );
}

function ignore(): void {
  // See where it is attached.
}
