import { setTimeout } from "node:timers/promises";
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { ConnectionError, NotReplicatedError } from "../errors.js";
import { runBounded, throwIfAborted } from "./bounded-run.js";
import { type OpenStream, requestCancel } from "./cancel-request.js";
import { guardClient } from "./guard-pool.js";
import { isLittle } from "./is-little.js";
import { type Pipeline, queryInPipeline } from "./pipelined-query.js";
import { PreparedStatements } from "./prepared-statements.js";
import { confirmEarlier, isUnreplicated, isWorthRepeating, type Warning } from "./replication.js";
import type { RunContext } from "./run-context.js";
import type { BoundStatement } from "./statement.js";
import { setTenant } from "./tenant.js";
import { toBinaryArray } from "./to-binary-array.js";
import { BEGIN, COMMIT, ROLLBACK, type SendStatement, type TransactionSteps } from "./transaction-steps.js";

/**
 * After these a prepared statement is worthless on its connection: DISCARD ALL, a table that changed under it, a pooler
 * that gives each transaction another server connection, on which it is missing or which has it from somebody else.
 */
const STALE_STATEMENT_STATES = new Set(["26000", "0A000", "42P05"]);

/** How long a statement has to end before the server is asked again to cancel it, in milliseconds. */
const CANCEL_AGAIN_MS = 100;

/** The server takes no writes: it has been demoted, and its successor is found only by connecting anew. */
const READ_ONLY_STATE = "25006";

const known = new WeakMap<PoolClient, GuardedClient>();

/** A connection of a pool: sends our own statements as prepared ones, past the parts of Kysely that they don't need. */
export class GuardedClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #openStream: OpenStream;
  readonly #prepared = new PreparedStatements();
  #losesStatements = false;
  #isSpoiled = false;
  /** Whether a request to cancel has been sent, which may arrive at any time. */
  #awaitsCancel = false;
  /** What the server said last of a commit that it has not waited for a standby with. */
  #unreplicated: Warning | undefined;

  private constructor(client: PoolClient, openStream: OpenStream | undefined) {
    this.#client = client;
    this.#openStream = openStream;
    guardClient(client);
    client.on("notice", (warning) => {
      if (isUnreplicated(warning)) this.#unreplicated = warning;
    });
  }

  /**
   * The one for a client, whichever saver uses it.
   *
   * @param openStream - As in the options of the pool.
   */
  static of(client: PoolClient, openStream?: OpenStream): GuardedClient {
    const found = known.get(client) ?? new GuardedClient(client, openStream);
    known.set(client, found);
    return found;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    query: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof query !== "string") throw new TypeError("the dialect is opened without a cursor class");
    return this.#queryForKysely(query, [...parameters]);
  }

  release(discard = false): void {
    this.#client.release(discard || this.#isSpoiled);
  }

  /** Sends one statement, by its name if `prepare` says so. */
  async execute<Row>(statement: BoundStatement<Row>, prepare: boolean, context: RunContext): Promise<Row[]> {
    const unnamed = toQuery(statement);
    const scope = statement.writes === true ? scopeOf(context) : setTenant(context);
    if (!prepare || this.#losesStatements) return this.#sendScoped<Row>(scope, unnamed, context);
    const { name } = statement;
    try {
      return await this.#sendScoped<Row>(scope, { name, ...unnamed }, context);
    } catch (error) {
      if (!isIn(STALE_STATEMENT_STATES, error)) throw error;
      // What pg believes to be prepared here is not: this connection goes on without names.
      this.#losesStatements = true;
      return this.#sendScoped<Row>(scope, unnamed, context);
    }
  }

  /**
   * Sends statements in one transaction: the opening and the guard in one round trip, all else in another where it is not much;
   * in the same one, where the guard has nothing to say. Without names: a statement that is no longer prepared would end the
   * transaction, and where several are sent planning is the least of it.
   *
   * @returns The rows of each statement, without those of the guard.
   */
  async transact<Row>(
    { guard = [], statements }: TransactionSteps<Row>,
    context: RunContext,
  ): Promise<Row[][]> {
    const opening = [BEGIN, ...scopeOf(context), ...guard.map(({ statement }) => statement)].map(toQuery);
    // Those that are sent one by one, and those that are sent with the end of the transaction.
    const alone = isLittle(statements) ? 0 : statements.length - 1;
    const closing = [...statements.slice(alone), COMMIT].map(toQuery);
    const rows: Row[][] = [];
    try {
      if (alone === 0 && guard.every((step) => step.check === undefined)) {
        const together = await this.#sendAll<Row>([...opening, ...closing], context);
        return together.slice(opening.length, -1).map((result) => result.rows);
      }
      const results = await this.#sendAll(opening, context);
      const guardResults = results.slice(results.length - guard.length);
      guard.forEach((step, index) => step.check?.(guardResults[index]?.rows ?? []));
      for (const statement of statements.slice(0, alone)) {
        rows.push((await this.#send<Row>(toQuery(statement), context)).rows);
      }
      const ended = await this.#sendAll<Row>(closing, context);
      return [...rows, ...ended.slice(0, -1).map((result) => result.rows)];
    } catch (error) {
      await this.#rollBack(context);
      throw error;
    }
  }

  /** Runs what decides by the rows of one statement which comes next, in one transaction. */
  async interact<T>(run: (send: SendStatement) => Promise<T>, context: RunContext): Promise<T> {
    try {
      await this.#sendAll([BEGIN, ...scopeOf(context)].map(toQuery), context);
      const result = await run(
        async <Row>(statement: BoundStatement<Row>) =>
          (await this.#send<Row>(toQuery(statement), context)).rows,
      );
      await this.#send(toQuery(COMMIT), context);
      return result;
    } catch (error) {
      await this.#rollBack(context);
      throw error;
    }
  }

  /** One statement; in the same round trip what holds for its transaction alone. */
  async #sendScoped<Row>(
    scope: readonly BoundStatement<unknown>[],
    query: QueryConfig,
    context: RunContext,
  ): Promise<Row[]> {
    const { name } = query;
    const closing = name === undefined ? undefined : this.#prepared.use(name);
    try {
      const result =
        scope.length === 0 && closing === undefined
          ? await this.#send<Row>(query, context)
          : (await this.#sendAll<Row>([...scope.map(toQuery), query], context, closing)).at(-1);
      if (name !== undefined) this.#prepared.ran(name);
      return result?.rows ?? [];
    } catch (error) {
      // pg takes a named statement for prepared as soon as the first of a pipeline is.
      if (name !== undefined && scope.length > 0 && !this.#prepared.hasRun(name)) this.#isSpoiled = true;
      throw error;
    }
  }

  #send<Row>(query: QueryConfig, context: RunContext): Promise<QueryResult<Row & object>> {
    return this.#bounded(() => this.#client.query<Row & object>(query), context);
  }

  #sendAll<Row = unknown>(
    queries: readonly QueryConfig[],
    context: RunContext,
    closing?: string,
  ): Promise<QueryResult<Row & object>[]> {
    const last = queries.at(-1);
    if (last === undefined) return Promise.resolve([]);
    const pipeline: Pipeline = [last, ...queries.slice(0, -1)];
    return this.#bounded(() => queryInPipeline<Row & object>(this.#client, pipeline, closing), context);
  }

  async #bounded<T>(run: () => Promise<T>, context: RunContext): Promise<T> {
    if (this.#awaitsCancel) {
      throwIfAborted(context.signal);
      throw new ConnectionError(
        "the connection is given up, as an earlier statement on it was to be cancelled",
      );
    }
    const cancel = (giveUp: AbortSignal): Promise<void> => {
      // The request may arrive late, and would then hit the connection's next statement: there must be none.
      this.#isSpoiled = true;
      this.#awaitsCancel = true;
      return this.#cancel(giveUp);
    };
    this.#unreplicated = undefined;
    let answer: T;
    try {
      answer = await runBounded({ run, cancel }, context);
    } catch (error) {
      if (codeOf(error) === READ_ONLY_STATE) this.#isSpoiled = true;
      // Where the server has ended the connection it says no more than the warning.
      throw this.#unreplicatedError() ?? error;
    }
    // Where the wait for a standby was cancelled it reports success, and warns.
    const failure = this.#unreplicatedError();
    if (failure !== undefined) throw failure;
    return answer;
  }

  #unreplicatedError(): NotReplicatedError | undefined {
    const warning = this.#unreplicated;
    if (warning === undefined) return undefined;
    return new NotReplicatedError({
      cause: warning,
      sqlState: warning.code,
      transient: isWorthRepeating(warning),
    });
  }

  /**
   * Asks until the statement has ended: a pooler drops the request while the statement still waits for a connection to the
   * server, and would send the statement afterwards.
   */
  async #cancel(giveUp: AbortSignal): Promise<void> {
    while (!giveUp.aborted) {
      await requestCancel(this.#client, this.#openStream, giveUp);
      await setTimeout(CANCEL_AGAIN_MS, undefined, { signal: giveUp });
    }
  }

  /** The connection is of no use where that fails: the server ends the transaction when it sees it go. */
  async #rollBack({ statementTimeoutMs }: RunContext): Promise<void> {
    if (this.#isSpoiled) return;
    try {
      await this.#send(toQuery(ROLLBACK), { statementTimeoutMs });
    } catch {
      this.#isSpoiled = true;
    }
  }

  async #queryForKysely<R>(text: string, values: unknown[]): Promise<PostgresQueryResult<R>> {
    const { command, rowCount, rows } = await this.#client.query<R & object>({ text, values });
    return { command: isCommand(command) ? command : "SELECT", rowCount: rowCount ?? 0, rows };
  }
}

/** What holds for the transaction of a write alone. */
function scopeOf(context: RunContext): BoundStatement<unknown>[] {
  return [...setTenant(context), ...confirmEarlier(context)];
}

function toQuery({ sql, parameters }: BoundStatement<unknown>): QueryConfig {
  return { text: sql, values: parameters.map(toBinaryArray) };
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

function isIn(states: ReadonlySet<string>, error: unknown): boolean {
  return states.has(String(codeOf(error)));
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
