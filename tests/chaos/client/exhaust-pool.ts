import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** Takes every connection of the pool away from the saver, for `forMs` milliseconds. */
export async function exhaustPool(pool: pg.Pool, forMs: number): Promise<void> {
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => take(pool)));
  await sleep(forMs);
  for (const client of taken) {
    client?.off("error", ignore);
    client?.release();
  }
}

/** A connection, or none where the pool gave up waiting for one. */
async function take(pool: pg.Pool): Promise<pg.PoolClient | undefined> {
  const client = await pool.connect().catch(() => undefined);
  // While it is checked out nobody else listens.
  client?.on("error", ignore);
  return client;
}

function ignore(): void {
  // A connection that breaks meanwhile is the saver's to deal with.
}
