import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { Pool, PoolClient, QueryConfig, QueryResultRow } from "pg";
import { ConnectionError } from "../errors.js";
import type { NamedStatements } from "./named-statements.js";

/** After these a prepared statement is worthless on its connection: DISCARD ALL, or a table that changed under it. */
const STALE_STATEMENT_STATES = new Set(["26000", "0A000"]);

/**
 * A `pg` pool as Kysely's dialect takes it, with two things that it lacks: a connection that dies never takes the
 * process down with it, and our statements are sent by name, so that Postgres plans them once per connection.
 */
export class GuardedPool implements PostgresPool {
  readonly #pool: Pool;
  readonly #names: NamedStatements | undefined;
  readonly #clients = new WeakMap<PoolClient, GuardedClient>();
  readonly options: object;

  /** @param names - The statements to prepare; `undefined` sends all unnamed, as transaction-mode poolers need it. */
  constructor(pool: Pool, names: NamedStatements | undefined) {
    this.#pool = pool;
    this.#names = names;
    this.options = pool.options;
    // Without a listener Node ends the process when the server drops an idle connection. The pool has discarded the
    // connection by then, and the next query opens another: there is nothing left to do.
    // One listener does for all savers on a pool, and stays: the pool may have another saver when this one is closed.
    if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
  }

  async connect(): Promise<PostgresPoolClient> {
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
    const guarded = new GuardedClient(client, this.#names);
    this.#clients.set(client, guarded);
    return guarded;
  }
}

class GuardedClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  #names: NamedStatements | undefined;

  constructor(client: PoolClient, names: NamedStatements | undefined) {
    this.#client = client;
    this.#names = names;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    query: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof query !== "string") throw new TypeError("the dialect is opened without a cursor class");
    return this.#run(query, [...parameters]);
  }

  release(discard?: boolean): void {
    this.#client.off("error", ignore);
    this.#client.release(discard);
  }

  async #run<R>(text: string, values: unknown[]): Promise<PostgresQueryResult<R>> {
    const name = this.#names?.nameOf(text);
    if (name === undefined) return this.#send({ text, values });
    try {
      return await this.#send({ name, text, values });
    } catch (error) {
      if (!isStale(error)) throw error;
      // What pg believes to be prepared here is not: this connection goes on without names.
      this.#names = undefined;
      return this.#send({ text, values });
    }
  }

  async #send<R>(query: QueryConfig): Promise<PostgresQueryResult<R>> {
    const { command, rowCount, rows } = await this.#client.query<R & QueryResultRow>(query);
    return { command: isCommand(command) ? command : "SELECT", rowCount: rowCount ?? 0, rows };
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
