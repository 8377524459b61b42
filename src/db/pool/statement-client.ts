import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { PoolClient, QueryConfig, QueryResult } from "pg";
import type { OpenStream } from "./cancel-request.js";
import type { BackendFences } from "./backend-fences.js";
import { ConnectionFence } from "./connection-fence.js";
import { codeOf } from "../../errors/error-code.js";
import { guardClient } from "./handle-pool-errors.js";
import { PreparedStatements } from "../statements/prepared-statements.js";
import { confirmEarlier } from "./replication.js";
import type { RunContext } from "../statements/run-context.js";
import type { BoundStatement } from "../statements/statement.js";
import { isRefusedAsLate, lateError } from "../statements/statement-deadline.js";
import { StatementSender } from "../statements/statement-sender.js";
import { setTenant } from "../tenant.js";
import { isLittle, toNamedQuery, toQuery } from "../statements/to-query.js";
import {
  BEGIN,
  COMMIT,
  ROLLBACK,
  type SendStatement,
  type TransactionSteps,
} from "../statements/transaction-steps.js";

/**
 * After these a prepared statement is worthless on its connection: DISCARD ALL, a table that changed under it, a pooler
 * that gives each transaction another server connection, on which it is missing or which has it from somebody else.
 */
const STALE_STATEMENT_STATES = new Set(["26000", "0A000", "42P05"]);

const known = new WeakMap<PoolClient, GuardedClient>();

/** A connection of a pool: sends our own statements as prepared ones, past the parts of Kysely that they don't need. */
export class GuardedClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #fence: ConnectionFence;
  readonly #sender: StatementSender;
  readonly #prepared = new PreparedStatements();
  #losesStatements = false;

  private constructor(client: PoolClient, fences: BackendFences, openStream: OpenStream | undefined) {
    this.#client = client;
    this.#fence = new ConnectionFence(client, fences);
    this.#sender = new StatementSender(client, this.#fence, openStream);
    guardClient(client);
  }

  /**
   * The one for a client, whichever saver uses it.
   *
   * @param fences - Those of the pool.
   * @param openStream - As in the options of the pool.
   */
  static of(client: PoolClient, fences: BackendFences, openStream?: OpenStream): GuardedClient {
    const found = known.get(client) ?? new GuardedClient(client, fences, openStream);
    known.set(client, found);
    return found;
  }

  /** Whether a statement was given up on it that the server may still carry out. */
  get isAbandoned(): boolean {
    return this.#sender.isAbandoned;
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
    return this.queryWithin(query, parameters, {});
  }

  /** Sends a query of Kysely's, within the bounds of the context. */
  async queryWithin<R>(
    text: string,
    parameters: readonly unknown[],
    context: RunContext,
  ): Promise<PostgresQueryResult<R>> {
    const { command, rowCount, rows } = await this.#sender.send<R>(
      { text, values: [...parameters] },
      context,
    );
    return { command: isCommand(command) ? command : "SELECT", rowCount: rowCount ?? 0, rows };
  }

  release(discard = false): void {
    this.#client.release(discard || this.#sender.isSpoiled);
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
    const opening = [BEGIN, ...scopeOf(context), ...guard.map(({ statement }) => statement)].map(toQuery);
    // Those that are sent one by one, and those that are sent with the end of the transaction.
    const alone = isLittle(statements) ? 0 : statements.length - 1;
    const last = statements.slice(alone).map(toQuery);
    const sendLast = (before: readonly QueryConfig[]): Promise<QueryResult<Row & object>[]> => {
      const check = this.#fence.deadline(context).map(toQuery);
      return this.#sendInTime<Row>([...before, ...last], check, [toQuery(COMMIT)], context);
    };
    const rows: Row[][] = [];
    try {
      if (alone === 0 && guard.every((step) => step.check === undefined)) {
        const together = await sendLast(opening);
        return together.slice(opening.length).map((result) => result.rows);
      }
      const results = await this.#sender.sendAll(opening, context);
      const guardResults = results.slice(results.length - guard.length);
      guard.forEach((step, index) => step.check?.(guardResults[index]?.rows ?? []));
      for (const statement of statements.slice(0, alone)) {
        rows.push((await this.#sender.send<Row>(toQuery(statement), context)).rows);
      }
      return [...rows, ...(await sendLast([])).map((result) => result.rows)];
    } catch (error) {
      await this.#rollBack(context);
      throw error;
    }
  }

  /** Runs what decides by the rows of one statement which comes next, in one transaction. */
  async interact<T>(run: (send: SendStatement) => Promise<T>, context: RunContext): Promise<T> {
    try {
      await this.#sender.sendAll([BEGIN, ...scopeOf(context)].map(toQuery), context);
      const result = await run(
        async <Row>(statement: BoundStatement<Row>) =>
          (await this.#sender.send<Row>(toQuery(statement), context)).rows,
      );
      const check = this.#fence.deadline(context).map(toQuery);
      await this.#sendInTime([], check, [toQuery(COMMIT)], context);
      return result;
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
    const isWrite = statement.writes === true;
    const check = isWrite ? this.#fence.deadline(context).map(toQueryOf) : [];
    const scope = isWrite ? scopeOf(context) : setTenant(context);
    if (check.length === 0 && scope.length === 0) return this.#sendAlone(query, context);
    const results = await this.#sendInTime<Row>([...scope.map(toQuery), query], check, [], context);
    return results.at(-1)?.rows ?? [];
  }

  async #sendAlone<Row>(query: QueryConfig, context: RunContext): Promise<Row[]> {
    if (query.name === undefined) return (await this.#sender.send<Row>(query, context)).rows;
    const closing = this.#prepared.use(query.name);
    const result =
      closing === undefined
        ? await this.#sender.send<Row>(query, context)
        : (await this.#sender.sendAll<Row>([query], context, [closing])).at(-1);
    this.#prepared.ran(query.name);
    return result?.rows ?? [];
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
    const closing = names.flatMap((name) => this.#prepared.use(name) ?? []);
    const began = performance.now();
    try {
      const results = await this.#sender.sendAll<Row>(sent, context, closing);
      for (const name of names) this.#prepared.ran(name);
      if (check.length > 0) this.#fence.keptDeadline(results[queries.length]?.rows ?? []);
      return results.slice(0, queries.length);
    } catch (error) {
      // pg takes a named statement for prepared as soon as the first of a pipeline is.
      if (!names.every((name) => this.#prepared.hasRun(name))) this.#sender.spoil();
      if (check.length === 0 || !isRefusedAsLate(error)) throw error;
      this.#sender.spoil();
      throw lateError(error, performance.now() - began, context);
    }
  }

  /** The connection is of no use where that fails: the server ends the transaction when it sees it go. */
  async #rollBack({ statementTimeoutMs }: RunContext): Promise<void> {
    if (this.#sender.isSpoiled) return;
    try {
      await this.#sender.send(toQuery(ROLLBACK), { statementTimeoutMs });
    } catch {
      this.#sender.spoil();
    }
  }
}

/** What holds for the transaction of a write alone. */
function scopeOf(context: RunContext): BoundStatement<unknown>[] {
  return [...setTenant(context), ...confirmEarlier(context)];
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
