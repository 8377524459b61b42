import { type Kysely, sql, type Transaction } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { isLockTimeout } from "../db/statements/lock-timeout.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { MigrationError } from "../errors/index.js";

/**
 * Runs `work` in one transaction that holds the migration lock of the schema. A transaction that the caller passed in is used
 * as it is.
 *
 * The lock belongs to the transaction, not to the session: it works through a transaction-mode pooler, ends with the process
 * that took it, and does not conflict with the lock of an application's own Kysely migrations.
 *
 * @param lockTimeoutMs - How long to wait for this lock, and for any table lock of a step, in milliseconds.
 * @throws MigrationError if the wait takes longer.
 */
export async function inLockedTransaction<T>(
  db: Kysely<CheckpointDatabase>,
  schema: string,
  lockTimeoutMs: number,
  work: (transaction: Transaction<CheckpointDatabase>) => Promise<T>,
): Promise<T> {
  const locked = async (transaction: Transaction<CheckpointDatabase>): Promise<T> => {
    await acquireLock(transaction, schema, lockTimeoutMs);
    return work(transaction);
  };
  try {
    return isTransaction(db) ? await locked(db) : await db.transaction().execute(locked);
  } catch (error) {
    const failure = toDatabaseError(error);
    if (!isLockTimeout(failure)) throw failure;
    throw new MigrationError(
      `waited ${lockTimeoutMs} ms for another migration of schema "${schema}", or for a query that locks one of its ` +
        `tables; nothing was changed. Migrate again later, or raise lockTimeoutMs`,
      { cause: error, sqlState: failure.sqlState, transient: true },
    );
  }
}

function isTransaction(db: Kysely<CheckpointDatabase>): db is Transaction<CheckpointDatabase> {
  return db.isTransaction;
}

async function acquireLock(
  transaction: Transaction<CheckpointDatabase>,
  schema: string,
  lockTimeoutMs: number,
): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`.execute(transaction);
  const key = sql<bigint>`hashtextextended(${`langgraph-checkpoint-kysely ${schema}`}, 0)`;
  await sql`select pg_advisory_xact_lock(${key})`.execute(transaction);
}
