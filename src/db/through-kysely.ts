import {
  type AbortableQueryOptions,
  CompiledQuery,
  type Kysely,
  PGliteAdapter,
  PostgresAdapter,
} from "kysely";
import type { CheckpointDatabase } from "./checkpoint-database.js";
import { runBounded, throwIfAborted } from "./bounded-run.js";
import type { RunContext } from "./run-context.js";
import type { BoundStatement } from "./statement.js";
import { currentTenant, resetTenant, setTenant } from "./tenant.js";
import { ISOLATION_LEVEL, type TransactionSteps } from "./transaction-steps.js";

/** Sends one of our statements where the connections are not ours to decide on. */
export async function executeThrough<Row>(
  kysely: Kysely<CheckpointDatabase>,
  statement: BoundStatement<Row>,
  context: RunContext,
): Promise<Row[]> {
  if (context.tenantId === undefined) return send(kysely, statement, context);
  return inTransaction(kysely, context, (transaction) => send(transaction, statement, context));
}

/** Sends several in one transaction: one of its own, but where a transaction was lent. */
export async function transactThrough(
  kysely: Kysely<CheckpointDatabase>,
  { guard = [], statements }: TransactionSteps,
  context: RunContext,
): Promise<void> {
  await inTransaction(kysely, context, async (transaction) => {
    for (const step of guard) step.check?.(await send(transaction, step.statement, context));
    for (const statement of statements) await send(transaction, statement, context);
  });
}

async function inTransaction<T>(
  kysely: Kysely<CheckpointDatabase>,
  context: RunContext,
  run: (transaction: Kysely<CheckpointDatabase>) => Promise<T>,
): Promise<T> {
  if (kysely.isTransaction) return inLentTransaction(kysely, context, run);
  throwIfAborted(context.signal);
  return kysely
    .transaction()
    .setIsolationLevel(ISOLATION_LEVEL)
    .execute(async (transaction) => {
      for (const statement of setTenant(context)) await send(transaction, statement, context);
      return run(transaction);
    });
}

/** What its owner sends through it afterwards must not see another tenant's rows. */
async function inLentTransaction<T>(
  transaction: Kysely<CheckpointDatabase>,
  context: RunContext,
  run: (transaction: Kysely<CheckpointDatabase>) => Promise<T>,
): Promise<T> {
  if (context.tenantId === undefined) return run(transaction);
  const [previous] = await send(transaction, currentTenant(), context);
  for (const statement of setTenant(context)) await send(transaction, statement, context);
  const reset = (): Promise<unknown> => send(transaction, resetTenant(previous?.tenant_id ?? null), {});
  let result: T;
  try {
    result = await run(transaction);
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

async function send<Row>(
  kysely: Kysely<CheckpointDatabase>,
  { sql, parameters }: BoundStatement<Row>,
  context: RunContext,
): Promise<Row[]> {
  const query: CompiledQuery<Row> = CompiledQuery.raw(sql, [...parameters]);
  if (!canCancel(kysely)) {
    throwIfAborted(context.signal);
    return (await kysely.executeQuery(query)).rows;
  }
  const stopper = new AbortController();
  const options: AbortableQueryOptions =
    context.signal === undefined && context.statementTimeoutMs === undefined
      ? {}
      : { signal: stopper.signal, inflightQueryAbortStrategy: "cancel query" };
  return runBounded(
    {
      run: async () => (await kysely.executeQuery(query, options)).rows,
      cancel: async () => {
        stopper.abort(new CanceledQueryError());
        return Promise.resolve();
      },
    },
    context,
  );
}

/** As Postgres itself says that it cancelled a statement: Kysely gives back at once what its signal is aborted with. */
class CanceledQueryError extends Error {
  readonly code = "57014";
}

/** Kysely's own dialect for `pg` can; PGlite runs in this process, and nothing else runs while it does. */
function canCancel(kysely: Kysely<CheckpointDatabase>): boolean {
  const { adapter } = kysely.getExecutor();
  return adapter instanceof PostgresAdapter && !(adapter instanceof PGliteAdapter);
}
