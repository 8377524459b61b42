import pg from "pg";
import type { TestDatabase } from "../../support/targets.js";

/** Has every statement that writes wait for a lock while `run` runs. Those that only read are carried out. */
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

/** The processes of the server that wait for a lock in the database. */
export async function waitingBackends(database: TestDatabase): Promise<readonly number[]> {
  const rows = await database.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.map(({ pid }) => pid);
}

/** The processes of the server that are at work in the database, but for that of the question. */
export async function busyBackends(database: TestDatabase): Promise<readonly number[]> {
  const rows = await database.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()",
  );
  return rows.map(({ pid }) => pid);
}
