import {
  ConnectionError,
  DatabaseError,
  MigrationRequiredError,
  AbortError,
  NotReplicatedError,
} from "../../errors/index.js";
import { noop } from "../async/noop.js";
import { type CallContext, runContextOf } from "../call-context.js";
import { migrateCommand } from "../migrate-command.js";
import type { OpenedDatabase } from "../opened-database.js";
import { withoutLockRetries } from "./lock-timeout.js";
import { explainReadOnly } from "./read-only.js";
import { explainRefusedRow } from "./refused-row.js";
import { retryTransient } from "./retry-transient.js";
import { type BoundStatement, Statement, type StatementBuilder } from "./statement.js";
import { type SendStatement, sendSteps, type TransactionSteps } from "./transaction-steps.js";
import { toDatabaseError } from "../to-database-error.js";

/** The SQLSTATEs of a missing table, column or schema. */
const MISSING_OBJECT_STATES = new Set(["42P01", "42703", "3F000"]);

/**
 * Sends one statement and returns its rows. It takes one round trip, uses a prepared statement where this
 * library controls the connections, and retries transient faults, except in a passed-in transaction, which
 * the first error has ended. A repeated statement changes nothing (C6).
 *
 * @throws MigrationRequiredError when the tables are missing or too old.
 * @throws DatabaseError for any other error of the database.
 */
export async function runStatement<Params extends object, Row>(
  call: CallContext,
  statement: Statement<Params, Row>,
  params: Params,
): Promise<Row[]> {
  const bound = statement.bind(call.schema, params);
  const attempt = async (context: CallContext): Promise<Row[]> => {
    await call.policy.rowSecurity?.run(call);
    const rows = await call.database.execute(bound, runContextOf(context));
    call.observer?.addRows(rows.length);
    return rows;
  };
  return retried(call, bound.writes === true ? confirming(call, attempt) : () => attempt(call));
}

/** Makes a function of a statement: it sends the statement as {@link runStatement} does. */
export function queryOf<Params extends object, Row>(
  build: StatementBuilder<Params, Row>,
): (call: CallContext, params: Params) => Promise<Row[]> {
  const statement = new Statement(build);
  return (call, params) => runStatement(call, statement, params);
}

/**
 * Sends statements one after another in one transaction, so that all of them are stored or none. A single
 * statement without a guard is its own transaction. The whole transaction is retried after a transient fault (C6).
 * In a passed-in transaction the statements become part of it, and the application commits.
 *
 * @returns The rows of each statement.
 * @throws MigrationRequiredError when the tables are missing or too old.
 * @throws DatabaseError for any other error of the database.
 */
export async function runTransaction<Row>(call: CallContext, steps: TransactionSteps<Row>): Promise<Row[][]> {
  const { execute, transact } = call.database;
  const { guard = [], statements } = steps;
  if (guard.length + statements.length === 0) return retried(call, () => Promise.resolve([]));
  const only = guard.length === 0 && statements.length === 1 ? statements[0] : undefined;
  const attempt = async (context: CallContext): Promise<Row[][]> => {
    await call.policy.rowSecurity?.run(call);
    const rows = only
      ? [await execute(only, runContextOf(context))]
      : await transact(steps, runContextOf(context));
    call.observer?.addRows(rows.reduce((sum, { length }) => sum + length, 0));
    return rows;
  };
  const changes = only === undefined || only.writes === true;
  return retried(call, changes ? confirming(call, attempt) : () => attempt(call));
}

/** Sends one bound statement as {@link runTransaction} does, and returns its rows. */
export async function runBound<Row>(call: CallContext, statement: BoundStatement<Row>): Promise<Row[]> {
  const [rows = []] = await runTransaction(call, { statements: [statement] });
  return rows;
}

/**
 * Calls a function that decides by the rows of one statement which one to send next, in one transaction, so
 * that all of it is stored or nothing. After a transient fault `run` is called again: it must have no effect
 * except on the database. In a passed-in transaction its statements become part of it, and the application
 * commits.
 *
 * @param run - Receives the call context of the transaction, and must use no other.
 * @throws MigrationRequiredError when the tables are missing or too old.
 * @throws DatabaseError for any other error of the database.
 */
export async function inOneTransaction<Call extends CallContext, T>(
  call: Call,
  run: (within: Call) => Promise<T>,
): Promise<T> {
  const { database } = call;
  const attempt = async (context: CallContext): Promise<T> => {
    await call.policy.rowSecurity?.run(call);
    return database.interact((unordered) => {
      const send = oneByOne(unordered);
      const within: OpenedDatabase = {
        ...database,
        execute: send,
        transact: (steps) => sendSteps(steps, send),
        interact: (again) => again(send),
      };
      const policy = { ...call.policy, retry: false as const, rowSecurity: undefined };
      return run({ ...call, database: within, policy });
    }, runContextOf(context));
  };
  return retried(call, confirming(call, attempt));
}

/** Sends a statement when the one before it has ended: a transaction has one connection, and reads may be started together. */
function oneByOne(send: SendStatement): SendStatement {
  let last: Promise<unknown> = Promise.resolve();
  return (statement) => {
    const next = last.then(() => send(statement));
    last = next.catch(noop);
    return next;
  };
}

async function retried<T>(call: CallContext, attempt: () => Promise<T>): Promise<T> {
  const { database, policy, signal, observer, progress } = call;
  if (database.closed) throw new ConnectionError("the database has been closed", { transient: false });
  try {
    const result = await retryTransient(
      call.lockTimeoutMs === undefined ? attempt : withoutLockRetries(attempt),
      database.kysely.isTransaction ? false : policy.retry,
      { signal, observer, progress, explain: (failure) => explainReadOnly(failure, call) },
    );
    progress?.moved();
    return result;
  } catch (error) {
    throw explainMissingTables(await explainRefusedRow(error, call), call);
  }
}

function explainMissingTables(error: unknown, call: CallContext): unknown {
  const { schema, optionalTables = [], checkpointTable } = call;
  if (!(error instanceof DatabaseError) || !MISSING_OBJECT_STATES.has(error.sqlState ?? "")) return error;
  // A statement within a transaction has explained it.
  if (error instanceof MigrationRequiredError) return error;
  const [owner] = optionalTables;
  const [tables, setup] = owner === undefined ? ["checkpoint tables", "saver.setup()"] : nameOptional(owner);
  return new MigrationRequiredError(
    schema,
    `the ${tables} in schema "${schema}" are missing or older than this library: call ${setup}, ` +
      `or run \`${migrateCommand(schema, optionalTables, checkpointTable)}\` (${error.message})`,
    { cause: error, sqlState: error.sqlState },
  );
}

/** Names the tables of an optional set, and the call that creates them. */
function nameOptional(owner: string): readonly [tables: string, setup: string] {
  if (owner === "checkpoint-store") {
    return ["tables of the checkpoint store", "setup() of the checkpoint store"];
  }
  return [`tables of the ${owner}`, `${owner}.setup()`];
}

/** Changes of a database that may be stored without being on any standby. */
interface Unconfirmed {
  /** How many attempts have left such a change since the process started. */
  attempts: number;
  /** How many of them, counted from the first, a later commit has confirmed. */
  confirmed: number;
}

// One for all savers on a pool, since a call may be repeated on another of them.
const known = new WeakMap<object, Unconfirmed>();

/**
 * Wraps the attempts of a write, so that a successful attempt also confirms that the synchronous standbys
 * have the attempts before it: one of those may have stored everything and have been lost before it was
 * confirmed.
 *
 * @returns A function that makes one attempt.
 */
export function confirming<T>(
  call: CallContext,
  attempt: (call: CallContext) => Promise<T>,
): () => Promise<T> {
  const unconfirmed = unconfirmedOf(call);
  let isRepeated = false;
  return async () => {
    const { attempts, confirmed } = unconfirmed;
    const confirmsEarlier = isRepeated || attempts > confirmed;
    isRepeated = true;
    try {
      const result = await attempt(confirmsEarlier ? { ...call, confirmsEarlier } : call);
      if (confirmsEarlier) unconfirmed.confirmed = Math.max(unconfirmed.confirmed, attempts);
      return result;
    } catch (error) {
      if (mayBeStored(error)) unconfirmed.attempts++;
      throw error;
    }
  };
}

function unconfirmedOf({ database }: CallContext): Unconfirmed {
  const found = known.get(database.locks) ?? { attempts: 0, confirmed: 0 };
  known.set(database.locks, found);
  return found;
}

/** Whether the database may have executed a write that failed with this error. */
function mayBeStored(error: unknown): boolean {
  const failure = toDatabaseError(error);
  return [ConnectionError, NotReplicatedError, AbortError].some((kind) => failure instanceof kind);
}
