import pg from "pg";
import type { TestDatabase } from "../../../test-support/targets.js";
import { until } from "../../../test-support/until.js";

const WAITING = `
  select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`;

/** Locks the checkpoint tables while `run` runs, so that every statement on them hangs, reads included. */
export async function whileHeld<T>(database: TestDatabase<string>, run: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.source });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("lock table checkpoints, checkpoint_blobs, checkpoint_writes");
    return await run();
  } finally {
    await client.end();
  }
}

/** Counts the statements that hang. */
export async function countHung(database: TestDatabase): Promise<number> {
  return (await database.query<{ waiting: number }>(WAITING))[0]?.waiting ?? 0;
}

/** Waits until this many statements hang. */
export async function untilHung(database: TestDatabase, count = 1): Promise<void> {
  await until(async () => (await countHung(database)) === count);
}

/** Returns the reason of a rejected promise; fails if the promise resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("the promise was not rejected");
    },
    (error: unknown) => error,
  );
}
