import { CompiledQuery, type Kysely } from "kysely";
import { throwIfAborted } from "../statements/bounded-run.js";
import type { CheckpointDatabase } from "../checkpoint-database.js";
import { onConnection } from "./kysely-connection.js";
import { confirmEarlier } from "../pool/replication.js";
import type { RunContext } from "../statements/run-context.js";
import type { BoundStatement } from "../statements/statement.js";
import { currentTenant, resetTenant, setTenant } from "../tenant.js";
import {
  BEGIN,
  COMMIT,
  type SendStatement,
  sendSteps,
  type TransactionSteps,
} from "../statements/transaction-steps.js";

/** Sends one of our statements where the connections are not ours to decide on. */
export async function executeThrough<Row>(
  kysely: Kysely<CheckpointDatabase>,
  statement: BoundStatement<Row>,
  context: RunContext,
): Promise<Row[]> {
  const confirms = statement.writes === true && context.confirmsEarlier === true;
  if (context.tenantId === undefined && !confirms) return send(kysely, statement, context);
  return interactThrough(kysely, context, (sendWithin) => sendWithin(statement));
}

/** Sends several in one transaction, one of its own, but where a transaction was lent; and returns the rows of each. */
export async function transactThrough<Row>(
  kysely: Kysely<CheckpointDatabase>,
  steps: TransactionSteps<Row>,
  context: RunContext,
): Promise<Row[][]> {
  return interactThrough(kysely, context, (sendWithin) => sendSteps(steps, sendWithin));
}

/** Runs what decides by the rows of one statement which comes next, in a transaction as that of {@link transactThrough}. */
export function interactThrough<T>(
  kysely: Kysely<CheckpointDatabase>,
  context: RunContext,
  run: (sendWithin: SendStatement) => Promise<T>,
): Promise<T> {
  if (kysely.isTransaction) return inLentTransaction(kysely, context, run);
  if (!kysely.getExecutor().adapter.supportsMultipleConnections)
    return inOnlyTransaction(kysely, context, run);
  // Not Kysely's own, whose beginning and end could not be bounded.
  return onConnection(kysely, context, async (connection) => {
    const sendWithin: SendStatement = (statement) => connection.send(statement, context);
    const opening = [BEGIN, ...setTenant(context), ...confirmEarlier(context)];
    try {
      for (const statement of opening) await sendWithin(statement);
      const result = await run(sendWithin);
      await connection.send(COMMIT, context, true);
      return result;
    } catch (error) {
      await connection.rollBack(context);
      throw error;
    }
  });
}

/** PGlite's one connection is shared by all who were lent it: its driver keeps them off while a transaction is open. */
function inOnlyTransaction<T>(
  kysely: Kysely<CheckpointDatabase>,
  context: RunContext,
  run: (sendWithin: SendStatement) => Promise<T>,
): Promise<T> {
  throwIfAborted(context.signal);
  return kysely.transaction().execute(async (transaction) => {
    const sendWithin: SendStatement = (statement) => send(transaction, statement, context);
    for (const statement of setTenant(context)) await sendWithin(statement);
    return run(sendWithin);
  });
}

/** What its owner sends through it afterwards must not see another tenant's rows. */
async function inLentTransaction<T>(
  transaction: Kysely<CheckpointDatabase>,
  context: RunContext,
  run: (sendWithin: SendStatement) => Promise<T>,
): Promise<T> {
  const sendWithin: SendStatement = (statement) => send(transaction, statement, context);
  if (context.tenantId === undefined) return run(sendWithin);
  const [previous] = await sendWithin(currentTenant());
  for (const statement of setTenant(context)) await sendWithin(statement);
  const reset = (): Promise<unknown> => send(transaction, resetTenant(previous?.tenant_id ?? null), {});
  let result: T;
  try {
    result = await run(sendWithin);
  } catch (error) {
    // A refusal of ours leaves the transaction usable; one that the database has ended has no setting to reset.
    await reset().catch(ignore);
    throw error;
  }
  await reset();
  return result;
}

function ignore(): void {
  // The error that came first is the one to be told.
}

/** As an unbounded statement it takes the shortest way, which is Kysely's own. */
async function send<Row>(
  kysely: Kysely<CheckpointDatabase>,
  statement: BoundStatement<Row>,
  context: RunContext,
): Promise<Row[]> {
  if (context.signal !== undefined || context.statementTimeoutMs !== undefined) {
    const commits = statement.writes === true && !kysely.isTransaction;
    return onConnection(kysely, context, (connection) => connection.send(statement, context, commits));
  }
  const query: CompiledQuery<Row> = CompiledQuery.raw(statement.sql, [...statement.parameters]);
  return (await kysely.executeQuery(query)).rows;
}
