import { IS_CLIENT } from "./postgres-target.js";
import { ON_CITUS, type TestDatabase } from "./targets.js";
import { until } from "./until.js";

const LOCKS = `
  select count(*)::int as granted from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;

/** The connections of clients to the database, beside the one that asks, without those between the nodes of Citus. */
export const OTHER_CLIENTS = `from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and ${IS_CLIENT}`;

// On Citus a statement waits on the node of its thread.
const ACTIVITY = ON_CITUS ? "citus_stat_activity" : "pg_stat_activity";
const WAITS = `from ${ACTIVITY} where datname = current_database() and wait_event_type = 'Lock'`;

/** The connections to this server whose statements wait for a lock, here or on a node of Citus. */
export const WAITING_CONNECTIONS = `select ${ON_CITUS ? "citus_pid_for_gpid(global_pid) as pid" : "pid"} ${WAITS}`;

// The latest connection ends first, and is gone before the next one ends. A waiter opened its connection after the holder, so it can't
// get the lock for the moment between both ends.
const END_HOLDERS = `
  select pg_terminate_backend(pid, 60000) from (
    select pid from pg_stat_activity where pid in (
      select pid from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
    ) order by backend_start desc offset 0
  ) as holders`;

/**
 * Waits until this number of advisory locks is held in the database: one by each holder, and one by the first waiter
 * of each other process.
 */
export async function untilLocks(database: TestDatabase, count: number): Promise<void> {
  await until(async () => (await database.query<{ granted: number }>(LOCKS))[0]?.granted === count);
}

/** Waits until the server has this number of connections to the database, beside the one that asks. */
export async function untilConnections(database: TestDatabase, count: number): Promise<void> {
  await until(async () => (await database.query(`select ${OTHER_CLIENTS}`)).length === count);
}

/** Returns how many statements on the database wait for a lock now. */
export async function countWaiting(database: TestDatabase): Promise<number> {
  return (await database.query(`select ${WAITS}`)).length;
}

/** Waits until a statement on the database waits for a lock. */
export async function untilOneWaits(database: TestDatabase): Promise<void> {
  await until(async () => (await countWaiting(database)) > 0);
}

/** Waits until the work is done, or this number of statements on the database wait for a lock. */
export async function untilItWaits(
  database: TestDatabase,
  work: Promise<unknown>,
  waiting = 1,
): Promise<void> {
  const done = { isTrue: false };
  void work.finally(() => (done.isTrue = true)).catch(() => undefined);
  for (;;) {
    const count = await countWaiting(database);
    if (done.isTrue || count >= waiting) return;
  }
}

/** Ends every connection that holds an advisory lock. */
export async function endHolders(database: TestDatabase): Promise<void> {
  await database.query(END_HOLDERS);
}
