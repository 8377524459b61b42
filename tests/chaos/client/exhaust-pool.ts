import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** Holds every connection of the pool for `forMs` milliseconds. */
export async function exhaustPool(pool: pg.Pool, forMs: number): Promise<void> {
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => take(pool)));
  await sleep(forMs);
  for (const client of taken) {
    client?.off("error", ignore);
    client?.release();
  }
}

/** Takes a connection; `undefined` if the pool has timed out. */
async function take(pool: pg.Pool): Promise<pg.PoolClient | undefined> {
  const client = await pool.connect().catch(() => undefined);
  // While the connection is checked out, nothing else handles its errors.
  client?.on("error", ignore);
  return client;
}

function ignore(): void {
  // The saver handles a connection that breaks.
}
