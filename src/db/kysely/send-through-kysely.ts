import type { Kysely } from "kysely";
import { isBounded } from "../statements/cancellation.js";
import type { CheckpointDatabase } from "../checkpoint-database.js";
import { hasOneConnection } from "./plain-kysely.js";
import { onConnection } from "./kysely-connection.js";
import { toKyselyQuery } from "./to-kysely-query.js";
import { waitForKysely, waitsOfKysely } from "./wait-for-kysely.js";
import {
  scopeOf,
  settingsOf,
  type RunContext,
  BEGIN,
  COMMIT,
  type SendStatement,
  sendSteps,
  type TransactionSteps,
} from "../statements/transaction-steps.js";
import type { BoundStatement } from "../statements/statement.js";
import { setLocally } from "../statements/local-setting.js";
import { noop } from "../async/noop.js";

/** Sends one statement through a Kysely, which decides about the connections. */
export async function executeThroughKysely<Row>(
  kysely: Kysely<CheckpointDatabase>,
  statement: BoundStatement<Row>,
  context: RunContext,
): Promise<Row[]> {
  const confirms = statement.writes === true && context.confirmsEarlier === true;
  const hasSettings = context.lockTimeoutMs !== undefined || context.withoutJit === true;
  const needsScope = context.tenantId !== undefined || confirms || (hasSettings && !hasOneConnection(kysely));
  if (!needsScope) return send(kysely, statement, context);
  return interactThroughKysely(kysely, context, (sendInTransaction) => sendInTransaction(statement));
}

/**
 * Sends several statements in one transaction, and returns the rows of each. It opens the transaction, except
 * in a passed-in one.
 */
export async function transactThroughKysely<Row>(
  kysely: Kysely<CheckpointDatabase>,
  steps: TransactionSteps<Row>,
  context: RunContext,
): Promise<Row[][]> {
  return interactThroughKysely(kysely, context, (sendInTransaction) => sendSteps(steps, sendInTransaction));
}

/**
 * Runs a function that decides by the rows of one statement which one to send next, in a transaction like
 * that of {@link transactThroughKysely}.
 */
export function interactThroughKysely<T>(
  kysely: Kysely<CheckpointDatabase>,
  context: RunContext,
  run: (sendInTransaction: SendStatement) => Promise<T>,
): Promise<T> {
  if (kysely.isTransaction) return inPassedInTransaction(kysely, context, run);
  if (hasOneConnection(kysely)) return inPGliteTransaction(kysely, context, run);
  // Not Kysely's own transaction, whose BEGIN and COMMIT have no time limit.
  return onConnection(kysely, context, async (connection) => {
    const sendInTransaction: SendStatement = (statement) => connection.send(statement, context);
    const opening = [BEGIN, ...scopeOf(context)];
    try {
      for (const statement of opening) await sendInTransaction(statement);
      const result = await run(sendInTransaction);
      await connection.send(COMMIT, context, true);
      return result;
    } catch (error) {
      await connection.rollBack(context);
      throw error;
    }
  });
}

/** All users of a PGlite share its one connection. Its driver keeps them out while a transaction is open. */
function inPGliteTransaction<T>(
  kysely: Kysely<CheckpointDatabase>,
  context: RunContext,
  run: (sendInTransaction: SendStatement) => Promise<T>,
): Promise<T> {
  const waits = waitsOfKysely(kysely);
  return waitForKysely(kysely, context, (wait) =>
    kysely.transaction().execute(async (transaction) => {
      wait.goOn();
      wait.end();
      const sendInTransaction: SendStatement = async (statement) => {
        const rows = await send(transaction, statement, context);
        waits.moved();
        return rows;
      };
      for (const setting of settingsOf(context)) await sendInTransaction(setLocally(setting));
      return run(sendInTransaction);
    }),
  );
}

/**
 * Restores the settings afterwards: later statements of the application must not see another tenant's rows, and may be compiled as it has
 * chosen.
 */
async function inPassedInTransaction<T>(
  transaction: Kysely<CheckpointDatabase>,
  context: RunContext,
  run: (sendInTransaction: SendStatement) => Promise<T>,
): Promise<T> {
  const sendInTransaction: SendStatement = (statement) => send(transaction, statement, context);
  const replaced: BoundStatement<unknown>[] = [];
  for (const [name, value] of settingsOf(context)) {
    const [previous] = await sendInTransaction(setLocally([name, value]));
    replaced.push(setLocally([name, previous?.before ?? ""]));
  }
  const reset = async (): Promise<void> => {
    for (const setting of replaced) await send(transaction, setting, {});
  };
  let result: T;
  try {
    result = await run(sendInTransaction);
  } catch (error) {
    // An error of this library leaves the transaction usable. One that the database has ended has no setting
    // to restore.
    await reset().catch(noop);
    throw error;
  }
  await reset();
  return result;
}

async function send<Row>(
  kysely: Kysely<CheckpointDatabase>,
  statement: BoundStatement<Row>,
  context: RunContext,
): Promise<Row[]> {
  const executor = kysely.getExecutor();
  const query = toKyselyQuery(statement);
  const hasOne = hasOneConnection(kysely);
  if (!hasOne && isBounded(context)) {
    const commits = statement.writes === true && !kysely.isTransaction;
    return onConnection(kysely, context, (connection) => connection.send(statement, context, commits));
  }
  const { rows } = await waitForKysely(kysely, context, (wait) =>
    executor.provideConnection((connection) => {
      wait.goOn();
      // A PGlite may wait for its connection within the query, which can't be interrupted.
      if (!hasOne) wait.end();
      return connection.executeQuery<Row>(query);
    }),
  );
  return rows;
}
