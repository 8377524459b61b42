import pg from "pg";
import type { TestDatabase } from "../../../test-support/targets.js";

/** Makes every write wait for a lock while `run` runs. Reads are not affected. */
export async function whileWritesWait<T>(database: TestDatabase<string>, run: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.source });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("lock table checkpoints, checkpoint_blobs, checkpoint_writes in exclusive mode");
    return await run();
  } finally {
    await client.end();
  }
}

/** The server processes that wait for a lock in the database. */
export async function waitingBackends(database: TestDatabase): Promise<readonly number[]> {
  const rows = await database.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.map(({ pid }) => pid);
}

/** The server processes that are active in the database, except the one of this query. */
export async function busyBackends(database: TestDatabase): Promise<readonly number[]> {
  const rows = await database.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()",
  );
  return rows.map(({ pid }) => pid);
}
