import { setTimeout } from "node:timers/promises";
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { ConnectionError } from "../errors.js";
import { runBounded, throwIfAborted } from "./bounded-run.js";
import { type OpenStream, requestCancel } from "./cancel-request.js";
import type { ConnectionFence } from "./connection-fence.js";
import { type Pipeline, queryInPipeline } from "./pipelined-query.js";
import type { RunContext } from "./run-context.js";
import type { BoundStatement } from "./statement.js";
import { isRefusedAsLate, lateError } from "./statement-deadline.js";
import { setTenant } from "./tenant.js";
import { isLittle, toNamedQuery, toQuery } from "./to-query.js";
import { BEGIN, COMMIT, ROLLBACK, type TransactionSteps } from "./transaction-steps.js";

/**
 * After these a prepared statement is worthless on its connection: DISCARD ALL, a table that changed under it, a pooler
 * that gives each transaction another server connection, on which it is missing or which has it from somebody else.
 */
const STALE_STATEMENT_STATES = new Set(["26000", "0A000", "42P05"]);

/** How long a statement has to end before the server is asked again to cancel it, in milliseconds. */
const CANCEL_AGAIN_MS = 100;

/** The server takes no writes: it has been demoted, and its successor is found only by connecting anew. */
const READ_ONLY_STATE = "25006";

/** A connection of a pool: sends our own statements as prepared ones, past the parts of Kysely that they don't need. */
export class GuardedClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #openStream: OpenStream;
  readonly #fence: ConnectionFence;
  /** The names under which statements have run here. */
  readonly #prepared = new Set<string>();
  #losesStatements = false;
  #isSpoiled = false;
  /** Whether a request to cancel has been sent, which may arrive at any time. */
  #awaitsCancel = false;
  #isAbandoned = false;

  /**
   * @param openStream - As in the options of the pool.
   */
  constructor(client: PoolClient, fence: ConnectionFence, openStream?: OpenStream) {
    this.#client = client;
    this.#fence = fence;
    this.#openStream = openStream;
  }

  /** Whether a statement was given up on it that the server may still carry out. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Whether {@link settle} is to be called before anything is sent. */
  isUnsettled(context: RunContext): boolean {
    return this.#fence.isUnsettled(context);
  }

  /** Ends what statements that were given up on other connections have left on the server; see {@link ConnectionFence}. */
  async settle(context: RunContext): Promise<void> {
    await this.#fence.settle(context);
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
    this.#client.off("error", ignoreError);
    this.#client.release(discard || this.#isSpoiled);
  }

  /** To be called when the client is taken from the pool. */
  reserve(): void {
    // The pool listens to idle clients only; one that is checked out has nobody to hear that its backend died.
    this.#client.on("error", ignoreError);
  }

  /** Sends one statement, by its name if `prepare` says so. */
  async execute<Row>(statement: BoundStatement<Row>, prepare: boolean, context: RunContext): Promise<Row[]> {
    if (!prepare || this.#losesStatements) return this.#sendScoped(statement, toQuery, context);
    try {
      return await this.#sendScoped(statement, toNamedQuery, context);
    } catch (error) {
      if (!isIn(STALE_STATEMENT_STATES, error)) throw error;
      // What pg believes to be prepared here is not: this connection goes on without names.
      this.#losesStatements = true;
      return this.#sendScoped(statement, toQuery, context);
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
    const opening = [BEGIN, ...setTenant(context), ...guard.map(({ statement }) => statement)].map(toQuery);
    // Those that are sent one by one, and those that are sent with the end of the transaction.
    const alone = isLittle(statements) ? 0 : statements.length - 1;
    const last = statements.slice(alone).map(toQuery);
    const sendLast = (before: readonly QueryConfig[]): Promise<QueryResult<Row & object>[]> => {
      const deadline = this.#fence.deadline(context);
      const check = deadline === undefined ? [] : [toQuery(deadline)];
      return this.#sendInTime<Row>([...before, ...last], check, [toQuery(COMMIT)], context);
    };
    const rows: Row[][] = [];
    try {
      if (alone === 0 && guard.every((step) => step.check === undefined)) {
        const together = await sendLast(opening);
        return together.slice(opening.length).map((result) => result.rows);
      }
      const results = await this.#sendAll(opening, context);
      const guardResults = results.slice(results.length - guard.length);
      guard.forEach((step, index) => step.check?.(guardResults[index]?.rows ?? []));
      for (const statement of statements.slice(0, alone)) {
        rows.push((await this.#send<Row>(toQuery(statement), context)).rows);
      }
      return [...rows, ...(await sendLast([])).map((result) => result.rows)];
    } catch (error) {
      await this.#rollBack(context);
      throw error;
    }
  }

  /** One statement; in the same round trip what holds for its transaction alone. */
  async #sendScoped<Row>(
    statement: BoundStatement<Row>,
    toQueryOf: typeof toQuery,
    context: RunContext,
  ): Promise<Row[]> {
    const query = toQueryOf(statement);
    const deadline = statement.writes === true ? this.#fence.deadline(context) : undefined;
    if (deadline === undefined && context.tenantId === undefined) {
      const { rows } = await this.#send<Row>(query, context);
      if (query.name !== undefined) this.#prepared.add(query.name);
      return rows;
    }
    const queries = [...setTenant(context).map(toQuery), query];
    const check = deadline === undefined ? [] : [toQueryOf(deadline)];
    return (await this.#sendInTime<Row>(queries, check, [], context)).at(-1)?.rows ?? [];
  }

  /**
   * Statements in one round trip, which the server refuses to carry out later than their caller waits.
   *
   * @param check - What refuses them, if anything.
   * @param ending - What is sent after that.
   * @returns The results of the statements alone.
   */
  async #sendInTime<Row>(
    queries: readonly QueryConfig[],
    check: readonly QueryConfig[],
    ending: readonly QueryConfig[],
    context: RunContext,
  ): Promise<QueryResult<Row & object>[]> {
    const sent = [...queries, ...check, ...ending];
    const names = sent.flatMap(({ name }) => name ?? []);
    const began = performance.now();
    try {
      const results = await this.#sendAll<Row>(sent, context);
      for (const name of names) this.#prepared.add(name);
      if (check.length > 0) this.#fence.keptDeadline(results[queries.length]?.rows ?? []);
      return results.slice(0, queries.length);
    } catch (error) {
      // pg takes a named statement for prepared as soon as the first of a pipeline is.
      if (!names.every((name) => this.#prepared.has(name))) this.#isSpoiled = true;
      if (check.length === 0 || !isRefusedAsLate(error)) throw error;
      this.#isSpoiled = true;
      throw lateError(error, performance.now() - began, context);
    }
  }

  #send<Row>(query: QueryConfig, context: RunContext): Promise<QueryResult<Row & object>> {
    return this.#bounded(() => this.#client.query<Row & object>(query), context);
  }

  #sendAll<Row = unknown>(
    queries: readonly QueryConfig[],
    context: RunContext,
  ): Promise<QueryResult<Row & object>[]> {
    const last = queries.at(-1);
    if (last === undefined) return Promise.resolve([]);
    const pipeline: Pipeline = [last, ...queries.slice(0, -1)];
    return this.#bounded(() => queryInPipeline<Row & object>(this.#client, pipeline), context);
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
    try {
      return await runBounded({ run: () => this.#fence.watch(run), cancel }, context);
    } catch (error) {
      if (this.#fence.abandon()) {
        this.#isSpoiled = true;
        this.#isAbandoned = true;
      }
      if (codeOf(error) === READ_ONLY_STATE) this.#isSpoiled = true;
      throw error;
    }
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
    const run = (): Promise<QueryResult<R & object>> => this.#client.query<R & object>({ text, values });
    const { command, rowCount, rows } = await this.#bounded(run, {});
    return { command: isCommand(command) ? command : "SELECT", rowCount: rowCount ?? 0, rows };
  }
}

/** For a connection or a pool whose failures show elsewhere: at the call that uses it, or not at all. */
export function ignoreError(): void {
  // See where it is attached.
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
