import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { CustomTypesConfig, PoolClient } from "pg";
import { afterLoopTime } from "../async/timers.js";
import type { OpenStream } from "./cancel-request.js";
import type { BackendFences } from "./backend-fences.js";
import { ConnectionFence } from "./connection-fence.js";
import { handleClientErrors } from "./connect-until-ended.js";
import { codeOf } from "../../errors/thrown.js";
import { outsideCalls } from "../../telemetry/running-calls.js";
import type { BoundStatement } from "../statements/statement.js";
import { isRefusedAsLate, lateError } from "./statement-deadline.js";
import { resultTypes } from "../result-types.js";
import { StatementSender } from "./statement-sender.js";
import { areSmall, type Query, toNamedQuery, toQuery } from "./to-query.js";
import {
  scopeOf,
  type RunContext,
  BEGIN,
  COMMIT,
  ROLLBACK,
  type SendStatement,
  type TransactionSteps,
} from "../statements/transaction-steps.js";

/**
 * SQLSTATEs after which a prepared statement is useless on its connection: DISCARD ALL, a table that was
 * changed, or a pooler that gives each transaction another server connection, where the statement is missing
 * or was prepared by another client.
 */
const STALE_STATEMENT_STATES = new Set(["26000", "0A000", "42P05"]);

const known = new WeakMap<PoolClient, StatementClient>();

/**
 * A connection of a pool. It sends this library's statements as prepared statements, and bypasses the parts
 * of Kysely that they don't need.
 */
export class StatementClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #fence: ConnectionFence;
  readonly #sender: StatementSender;
  readonly #types: CustomTypesConfig;
  #lostPreparedStatement = false;

  private constructor(client: PoolClient, fences: BackendFences, openStream: OpenStream | undefined) {
    this.#client = client;
    this.#fence = new ConnectionFence(client, fences);
    this.#sender = new StatementSender(client, this.#fence, openStream);
    this.#types = resultTypes(client);
    handleClientErrors(client);
  }

  /**
   * Returns the instance for a client, which all savers share.
   *
   * @param fences - The fences of the pool.
   * @param openStream - The option `stream` of the pool.
   */
  static of(client: PoolClient, fences: BackendFences, openStream?: OpenStream): StatementClient {
    const found = known.get(client) ?? new StatementClient(client, fences, openStream);
    known.set(client, found);
    return found;
  }

  /** Whether a statement was abandoned on it that the server may still execute. */
  get isAbandoned(): boolean {
    return this.#sender.isAbandoned;
  }

  /** Whether the connection must not be used again, as where a cancel request for it is under way. */
  get isSpoiled(): boolean {
    return this.#sender.isSpoiled;
  }

  /**
   * Whether {@link settle} must be called before anything is sent.
   *
   * @param statement - The statement that is to be sent alone, if any.
   */
  isUnsettled(context: RunContext, statement?: BoundStatement<unknown>): boolean {
    const isRead = statement !== undefined && statement.writes !== true;
    return this.#fence.isUnsettled(context) && !(isRead && this.#fence.isUnidentified);
  }

  /** Ends the server processes of statements that were abandoned on other connections; see {@link ConnectionFence}. */
  async settle(context: RunContext): Promise<void> {
    await this.#fence.settle(context);
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    query: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof query !== "string") throw new TypeError("cursors are not supported");
    return this.queryWithin(query, parameters, {});
  }

  /** Sends a query of Kysely within the bounds of the context. */
  async queryWithin<R>(
    text: string,
    parameters: readonly unknown[],
    context: RunContext,
  ): Promise<PostgresQueryResult<R>> {
    const { command, rowCount, rows } = await this.#sender.sendQuery<R>(
      { text, values: [...parameters], types: this.#types },
      context,
    );
    return { command: isCommand(command) ? command : "SELECT", rowCount: rowCount ?? 0, rows };
  }

  /** Makes a spoiled connection usable again, where no other can take its place. Resolves to whether it is. */
  recover(): Promise<boolean> {
    return this.#sender.recover();
  }

  release(discard = false): void {
    // The pool may connect for a caller that waits.
    outsideCalls(() => {
      this.#client.release(discard || this.#sender.isSpoiled);
    });
  }

  /** Sends one statement, as a prepared statement if `prepare` is set. */
  execute<Row>(statement: BoundStatement<Row>, prepare: boolean, context: RunContext): Promise<Row[]> {
    return this.#prepared(prepare, (toQueryOf) => this.#sendScoped(statement, toQueryOf, context));
  }

  /**
   * Sends statements in one transaction, as prepared statements if `prepare` is set. BEGIN and the guard are sent in one round
   * trip, the statements with COMMIT in another if they are small. Without a check in the guard, a single round trip does, and needs
   * neither BEGIN nor COMMIT where any isolation level does.
   *
   * @returns The rows of each statement, without those of the guard.
   */
  transact<Row>(steps: TransactionSteps<Row>, prepare: boolean, context: RunContext): Promise<Row[][]> {
    return this.#prepared(prepare, (toQueryOf) => this.#transactAs(steps, toQueryOf, context));
  }

  /** Runs a function with prepared statements, and again without them where the server lost one of them. */
  async #prepared<T>(prepare: boolean, run: (toQueryOf: typeof toQuery) => Promise<T>): Promise<T> {
    if (!prepare || this.#lostPreparedStatement) return run(toQuery);
    try {
      return await run(toNamedQuery);
    } catch (error) {
      if (!STALE_STATEMENT_STATES.has(String(codeOf(error))) || this.#sender.isSpoiled) throw error;
      // The server doesn't have the statement that this connection has prepared, so the connection stops preparing statements.
      this.#lostPreparedStatement = true;
      return run(toQuery);
    }
  }

  async #transactAs<Row>(
    { guard = [], statements, atAnyLevel = false }: TransactionSteps<Row>,
    toQueryOf: typeof toQuery,
    context: RunContext,
  ): Promise<Row[][]> {
    if (atAnyLevel && guard.length === 0 && areSmall(statements) && !this.#fence.needsBegin) {
      const scope = scopeOf(context).map(toQueryOf);
      const check = this.#fence.deadline(context).map(toQueryOf);
      const queries = [...scope, ...statements.map(toQueryOf)];
      return (await this.#sendInTime<Row>(queries, check, [], context)).slice(scope.length);
    }
    const opening = [
      toQuery(BEGIN),
      ...scopeOf(context).map(toQueryOf),
      ...guard.map(({ statement }) => toQueryOf(statement)),
    ];
    // How many statements are sent one by one. The others are sent together with COMMIT.
    const alone = areSmall(statements) ? 0 : statements.length - 1;
    const last = statements.slice(alone).map(toQueryOf);
    const sendLast = (before: readonly Query[]): Promise<Row[][]> => {
      const check = this.#fence.deadline(context).map(toQueryOf);
      return this.#sendInTime<Row>([...before, ...last], check, [toQuery(COMMIT)], context);
    };
    const rows: Row[][] = [];
    try {
      if (alone === 0 && guard.every((step) => step.check === undefined)) {
        return (await sendLast(opening)).slice(opening.length);
      }
      const results = await this.#sender.send(opening, context);
      const rowsOfGuard = results.slice(results.length - guard.length);
      guard.forEach((step, index) => step.check?.(rowsOfGuard[index] ?? []));
      for (const statement of statements.slice(0, alone))
        rows.push(await this.#sendOne<Row>(statement, context, toQueryOf));
      return [...rows, ...(await sendLast([]))];
    } catch (error) {
      await this.#rollBack(context);
      throw error;
    }
  }

  /** Runs a function that decides by the rows of one statement which one to send next, in one transaction. */
  async interact<T>(run: (send: SendStatement) => Promise<T>, context: RunContext): Promise<T> {
    try {
      await this.#sender.send([BEGIN, ...scopeOf(context)].map(toQuery), context);
      const result = await run((statement) => this.#sendOne(statement, context));
      const check = this.#fence.deadline(context).map(toQuery);
      await this.#sendInTime([], check, [toQuery(COMMIT)], context);
      return result;
    } catch (error) {
      await this.#rollBack(context);
      throw error;
    }
  }

  /** Sends one statement, with what its transaction needs in the same round trip. */
  async #sendScoped<Row>(
    statement: BoundStatement<Row>,
    toQueryOf: typeof toQuery,
    context: RunContext,
  ): Promise<Row[]> {
    const isWrite = statement.writes === true;
    const check = isWrite ? this.#fence.deadline(context).map(toQueryOf) : [];
    if (check.length > 0 && this.#fence.needsBegin) {
      const [rows = []] = await this.#transactAs({ statements: [statement] }, toQueryOf, context);
      return rows;
    }
    const queries = [...scopeOf(context), statement].map(toQueryOf);
    const results = await (this.#fence.isUnidentified
      ? this.#sendFirst<Row>(queries, context)
      : this.#sendInTime<Row>(queries, check, [], context));
    return results.at(-1) ?? [];
  }

  /** Sends a read as the first statement on the connection, together with the one that a write needs before it. */
  async #sendFirst<Row>(queries: readonly Query[], context: RunContext): Promise<Row[][]> {
    try {
      return await this.#sender.send<Row>([this.#fence.identify(), ...queries], context);
    } catch (error) {
      // Where the server refuses to tell its process, the read has not been executed.
      if (!this.#fence.isUnidentified || this.#sender.isSpoiled) throw error;
      await this.#fence.settle(context);
      return this.#sender.send<Row>(queries, context);
    }
  }

  async #sendOne<Row>(
    statement: BoundStatement<Row>,
    context: RunContext,
    toQueryOf: typeof toQuery = toQuery,
  ): Promise<Row[]> {
    const [rows = []] = await this.#sender.send<Row>([toQueryOf(statement)], context);
    return rows;
  }

  /**
   * Sends statements in one round trip. The server refuses them once their caller has given up.
   *
   * @param check - The statement that refuses them, if any.
   * @param ending - The statements to send after the check.
   * @returns The rows of each of `queries`.
   */
  async #sendInTime<Row>(
    queries: readonly Query[],
    check: readonly Query[],
    ending: readonly Query[],
    context: RunContext,
  ): Promise<Row[][]> {
    if (check.length === 0)
      return (await this.#sender.send<Row>([...queries, ...ending], context)).slice(0, queries.length);
    const began = performance.now();
    let isEarly = true;
    const { statementTimeoutMs = 0 } = context;
    const stopTimer = afterLoopTime(statementTimeoutMs / 2, () => (isEarly = false), true);
    try {
      const results = await this.#sender.send<Row>([...queries, ...check, ...ending], context);
      this.#fence.passedDeadline(results[queries.length] ?? [], began);
      return results.slice(0, queries.length);
    } catch (error) {
      if (!isRefusedAsLate(error)) throw error;
      this.#sender.spoil();
      throw lateError(error, isEarly, statementTimeoutMs);
    } finally {
      stopTimer();
    }
  }

  /**
   * Rolls back. If that fails the connection is discarded: the server ends the transaction when the
   * connection ends.
   */
  async #rollBack({ statementTimeoutMs }: RunContext): Promise<void> {
    if (this.#sender.isSpoiled) return;
    try {
      await this.#sendOne(ROLLBACK, { statementTimeoutMs });
    } catch {
      this.#sender.spoil();
    }
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

// Kysely distinguishes these. Other commands (DDL, SET) have neither rows nor a count that Kysely uses.
function isCommand(command: string): command is Command {
  return COMMANDS.includes(command);
}
