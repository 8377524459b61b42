import { type Kysely, sql, type Transaction, type RawBuilder, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { isLockTimeout } from "../db/statements/lock-timeout.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { type LockHolder, MigrationError } from "../errors/index.js";
import { timeText } from "../db/number-text.js";
import { TABLE_USE } from "./migration-set.js";

/** A Kysely on the tables. */
export type Tables = Kysely<CheckpointDatabase>;
/** A transaction on the tables. */
export type OpenTransaction = Transaction<CheckpointDatabase>;

/** What a caller may do whose option limits the wait. */
const REMEDY = "Migrate again when it has ended, or wait longer: `lockTimeoutMs`, or `--lock-timeout`";

/**
 * Runs `work` in one transaction that holds the migration lock of the schema. A transaction that the caller passed in is used
 * as it is.
 *
 * The lock belongs to the transaction, not to the session: it works through a transaction-mode pooler, ends with the process
 * that took it, and does not conflict with the lock of an application's own Kysely migrations.
 *
 * @param lockTimeoutMs - How long to wait for this lock, and for any table lock of a step, in milliseconds.
 * @param remedy - What the caller may do after a wait that was too long.
 * @throws MigrationError if the wait takes longer. It names the sessions that hold the lock.
 */
export async function inLockedTransaction<T>(
  db: Tables,
  schema: string,
  lockTimeoutMs: number,
  work: (transaction: OpenTransaction) => Promise<T>,
  remedy: string = REMEDY,
): Promise<T> {
  const wait = { schema, lockTimeoutMs, remedy };
  const state = { hasLock: false };
  const locked = async (transaction: OpenTransaction): Promise<T> => {
    await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`.execute(transaction);
    const take = () => sql`select pg_advisory_xact_lock(${migrationLockKey(schema)})`.execute(transaction);
    await (isTransaction(db) ? orUndone(transaction, take) : take());
    state.hasLock = true;
    return work(transaction);
  };
  try {
    return await inTransaction(db, locked);
  } catch (error) {
    const failure = toDatabaseError(error);
    if (!isLockTimeout(failure)) throw failure;
    throw state.hasLock
      ? waitedForTables(wait, await holdersOfTableLocks(db, schema), error)
      : waitedForMigration(wait, await holdersOfMigrationLock(db, schema), error);
  }
}

/**
 * Reads what the tables of a schema are like, and waits as long for a locked one as {@link inLockedTransaction}: the tables that record
 * steps may be locked as well.
 *
 * @throws MigrationError if the wait takes longer. It names the sessions that hold locks on the tables.
 */
export async function readWithinLockTimeout<T>(
  db: Tables,
  schema: string,
  lockTimeoutMs: number,
  read: (db: Tables) => Promise<T>,
): Promise<T> {
  const limited = async (transaction: OpenTransaction): Promise<T> => {
    const { rows } = await sql<{ before: string }>`
      select current_setting('lock_timeout') as before, set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`.execute(
      transaction,
    );
    const result = await read(transaction);
    // A passed-in transaction continues. If `read` has failed, the setting ends with the transaction.
    await sql`select set_config('lock_timeout', ${rows[0]?.before ?? "0"}, true)`.execute(transaction);
    return result;
  };
  try {
    return await inTransaction(db, limited);
  } catch (error) {
    const failure = toDatabaseError(error);
    if (!isLockTimeout(failure)) throw failure;
    const holders = await holdersOfTableLocks(db, schema);
    throw waitedForTables({ schema, lockTimeoutMs, remedy: REMEDY }, holders, error);
  }
}

/** Each statement has to see what was committed before it began, as in all of our transactions (C11). */
function inTransaction<T>(db: Tables, work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
  return isTransaction(db) ? work(db) : db.transaction().setIsolationLevel("read committed").execute(work);
}

/**
 * Undoes what fails in a passed-in transaction. The error would end that transaction, and nobody could be asked for the holder of the
 * lock.
 */
async function orUndone<T>(transaction: OpenTransaction, work: () => Promise<T>): Promise<T> {
  const savepoint = sql.id("langgraph_migration_lock");
  await sql`savepoint ${savepoint}`.execute(transaction);
  try {
    return await work();
  } catch (error) {
    await sql`rollback to savepoint ${savepoint}`.execute(transaction);
    throw error;
  } finally {
    await sql`release savepoint ${savepoint}`.execute(transaction);
  }
}

interface Wait {
  readonly schema: string;
  readonly lockTimeoutMs: number;
  readonly remedy: string;
}

function waitedForMigration(wait: Wait, holders: readonly LockHolder[], cause: unknown): MigrationError {
  const named = whereKnown(holders, (names) => `, which ${names} runs`);
  return waitedTooLong(wait, `another migration of schema "${wait.schema}"${named}`, holders, cause);
}

function waitedForTables(wait: Wait, holders: readonly LockHolder[], cause: unknown): MigrationError {
  const named = whereKnown(holders, (names) => `. It is used by ${names}`);
  return waitedTooLong(wait, `a lock on a table of schema "${wait.schema}"${named}`, holders, cause);
}

function whereKnown(holders: readonly LockHolder[], text: (names: string) => string): string {
  return holders.length === 0 ? "" : text(describeHolders(holders));
}

function waitedTooLong(
  { lockTimeoutMs, remedy }: Wait,
  waitedFor: string,
  holders: readonly LockHolder[],
  cause: unknown,
): MigrationError {
  return new MigrationError(`waited ${lockTimeoutMs} ms for ${waitedFor}; nothing was changed. ${remedy}`, {
    cause,
    sqlState: "55P03",
    transient: true,
    holders,
  });
}

function isTransaction(db: Tables): db is OpenTransaction {
  return db.isTransaction;
}

/** How many holders an error names. */
const MOST_NAMED = 3;

/** An expression for the key of the advisory lock that the migrations of a schema take. */
function migrationLockKey(schema: string): RawBuilder<bigint> {
  return sql<bigint>`hashtextextended(${`langgraph-checkpoint-kysely ${schema}`}, 0)`;
}

/** Returns the session that migrates a schema, if any. */
function holdersOfMigrationLock(db: Tables, schema: string): Promise<readonly LockHolder[]> {
  return holdersOf(
    db,
    sql<SqlBool>`held.locktype = 'advisory' and held.objsubid = 1
      and (held.classid::bigint << 32) | held.objid::bigint = ${migrationLockKey(schema)}`,
  );
}

/** Returns the sessions that hold locks on tables of this library, the oldest transaction first. */
function holdersOfTableLocks(db: Tables, schema: string): Promise<readonly LockHolder[]> {
  return holdersOf(
    db,
    sql<SqlBool>`held.relation in (
      select to_regclass(format('%I.%I', ${schema}::text, name))::oid
      from unnest(${Object.keys(TABLE_USE)}::text[]) as name)`,
  );
}

/** Names sessions for people. */
export function describeHolders(holders: readonly LockHolder[]): string {
  const more = holders.length > MOST_NAMED ? [`${holders.length - MOST_NAMED} more`] : [];
  return [...holders.slice(0, MOST_NAMED).map(describe), ...more].join(", ");
}

function describe({ processId, applicationName, since }: LockHolder): string {
  if (processId === undefined) return "a prepared transaction (see pg_prepared_xacts)";
  const known = [
    ...(applicationName === undefined ? [] : [`application "${applicationName}"`]),
    ...(since === undefined ? [] : [`in a transaction since ${since.toISOString()}`]),
  ];
  return `process ${processId}${known.length === 0 ? "" : ` (${known.join(", ")})`}`;
}

interface HolderRow {
  processId: number | null;
  applicationName: string | null;
  /** In milliseconds of Unix time, as text. Null where the role may not see the transaction of another role. */
  since: string | null;
}

/** It serves an error message: where the holders can't be read, as in a transaction that an error has ended, there are none. */
async function holdersOf(db: Tables, isHeld: RawBuilder<SqlBool>): Promise<readonly LockHolder[]> {
  const query = sql<HolderRow>`
    select held.pid as "processId", nullif(session.application_name, '') as "applicationName",
      ${timeText(sql`session.xact_start`)} as "since"
    from pg_locks held left join pg_stat_activity session using (pid)
    where held.granted and held.pid is distinct from pg_backend_pid()
      and held.database = (select oid from pg_database where datname = current_database()) and ${isHeld}
    group by held.pid, session.application_name, session.xact_start
    order by session.xact_start, held.pid`;
  try {
    const { rows } = await query.execute(db);
    return rows.map(({ processId, applicationName, since }) => ({
      processId: processId ?? undefined,
      applicationName: applicationName ?? undefined,
      since: since === null ? undefined : new Date(Number(since)),
    }));
  } catch {
    return [];
  }
}

/**
 * Makes Postgres throw an error if policies would hide rows, as they do from the owner of a table with FORCE ROW LEVEL SECURITY.
 * Otherwise a step could take a table for empty, and drop it.
 */
export async function withRowSecurityOff<T>(
  transaction: OpenTransaction,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await sql<{ before: string }>`
    select current_setting('row_security') as before, set_config('row_security', 'off', true)`.execute(
    transaction,
  );
  const result = await work();
  // A passed-in transaction may continue. If `work` has failed, the setting ends with the transaction.
  await sql`select set_config('row_security', ${rows[0]?.before ?? "on"}, true)`.execute(transaction);
  return result;
}

/** How long a migration waits for another migration, and for table locks, in milliseconds. */
export const DEFAULT_LOCK_TIMEOUT_MS = 60_000;
