import { type Kysely, sql, type Transaction } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { DatabaseError, MigrationError } from "../errors/index.js";

const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Runs `work` in one transaction that no other migration of the same schema runs beside. A transaction that the
 * caller lent is used as it is.
 *
 * The lock belongs to the transaction, not to the session, so that it works through a transaction-mode pooler, ends
 * with the process that took it, and does not meet the lock of an application's own Kysely migrations.
 *
 * @param lockTimeoutMs - How long to wait for this lock, and for any table lock that a step needs, in milliseconds.
 * @throws MigrationError when the wait is over.
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
    if (!(failure instanceof DatabaseError) || failure.sqlState !== LOCK_NOT_AVAILABLE) throw failure;
    throw new MigrationError(
      `waited ${lockTimeoutMs} ms for another migration of schema "${schema}", or for a query that holds one of its ` +
        `tables; nothing was changed. Run it again, or raise lockTimeoutMs`,
      { cause: error, sqlState: LOCK_NOT_AVAILABLE, transient: true },
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
