import { setImmediate } from "node:timers/promises";
import pg from "pg";
import type { TestDatabase } from "../../support/targets.js";

const WAITING = `
  select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`;

/** Has every statement on the checkpoints hang while `run` runs, those that read as well. */
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

/** How many statements hang at the moment. */
export async function countHung(database: TestDatabase): Promise<number> {
  return (await database.query<{ waiting: number }>(WAITING))[0]?.waiting ?? 0;
}

/** Waits until so many statements hang. */
export async function untilHung(database: TestDatabase, count = 1): Promise<void> {
  while ((await countHung(database)) !== count);
}

/** What `promise` is rejected with; fails where it is not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("it was not rejected");
    },
    (error: unknown) => error,
  );
}

/** Waits for what comes by itself within some turns of the event loop, or as soon as somebody who is asked says so. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setImmediate();
}
