import { ConnectionError, DatabaseError, MigrationRequiredError } from "../../errors/index.js";
import { type CallContext, runContextOf } from "../call-context.js";
import { migrateCommand } from "../migrate-command.js";
import type { OpenedDatabase } from "../open-database.js";
import { retryTransient } from "./retry-transient.js";
import type { Statement } from "./statement.js";
import { sendSteps, type TransactionSteps } from "./transaction-steps.js";
import { confirming } from "./unconfirmed.js";

/** What is said when a table, a column or the whole schema that a statement names does not exist. */
const MISSING_OBJECT_STATES = new Set(["42P01", "42703", "3F000"]);

/**
 * Sends one statement and returns its rows: one round trip, prepared where the connections are ours, retried where
 * the fault passes. Inside a transaction that was lent nothing is retried, since the first error has ended it.
 *
 * @throws MigrationRequiredError when the tables are missing or too old.
 * @throws DatabaseError whatever else the database says.
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

/**
 * Sends statements one after another in one transaction, so that all of them count or none; a single one without a
 * guard is a transaction by itself. The whole is retried where the fault passes. A transaction that was lent is used as
 * it is, and commits when its owner says so.
 *
 * @returns The rows of each statement.
 * @throws MigrationRequiredError when the tables are missing or too old.
 * @throws DatabaseError whatever else the database says.
 */
export async function runTransaction<Row>(call: CallContext, steps: TransactionSteps<Row>): Promise<Row[][]> {
  const { execute, transact } = call.database;
  const [first, ...others] = steps.statements;
  if (first === undefined) return retried(call, () => Promise.resolve([]));
  const isOne = others.length === 0 && (steps.guard ?? []).length === 0;
  const attempt = async (context: CallContext): Promise<Row[][]> => {
    await call.policy.rowSecurity?.run(call);
    const rows = isOne
      ? [await execute(first, runContextOf(context))]
      : await transact(steps, runContextOf(context));
    call.observer?.addRows(rows.reduce((sum, { length }) => sum + length, 0));
    return rows;
  };
  const changes = !isOne || first.writes === true;
  return retried(call, changes ? confirming(call, attempt) : () => attempt(call));
}

/**
 * Runs what decides by the rows of one statement which comes next, in one transaction, so that all of it counts or
 * nothing. The whole is retried where the fault passes: `run` is called again, and must have no effect but that on the
 * database. A transaction that the caller passed in is used as it is, and commits when its owner says so.
 *
 * @param run - Is handed the tables for the transaction, and must use no others.
 * @throws MigrationRequiredError when the tables are missing or too old.
 * @throws DatabaseError whatever else the database says.
 */
export async function inOneTransaction<Call extends CallContext, T>(
  call: Call,
  run: (within: Call) => Promise<T>,
): Promise<T> {
  const { database } = call;
  const attempt = async (context: CallContext): Promise<T> => {
    await call.policy.rowSecurity?.run(call);
    return database.interact((send) => {
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

async function retried<T>(call: CallContext, attempt: () => Promise<T>): Promise<T> {
  const { database, schema, policy, signal, observer } = call;
  if (database.closed) throw new ConnectionError("the database has been closed", { transient: false });
  try {
    return await retryTransient(attempt, database.kysely.isTransaction ? false : policy.retry, {
      signal,
      onRetry:
        observer &&
        ((again) => {
          observer.retrying(again);
        }),
    });
  } catch (error) {
    throw explainMissingTables(error, schema);
  }
}

function explainMissingTables(error: unknown, schema: string): unknown {
  if (!(error instanceof DatabaseError) || !MISSING_OBJECT_STATES.has(error.sqlState ?? "")) return error;
  return new MigrationRequiredError(
    schema,
    `the checkpoint tables in schema "${schema}" are missing or older than this library: call saver.setup(), ` +
      `or run \`${migrateCommand(schema)}\` (${error.message})`,
    { cause: error, sqlState: error.sqlState },
  );
}
