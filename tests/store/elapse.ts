import type { TestDatabase } from "../../test-support/targets.js";

/** Moves the expiry of all items into the past, as if minutes had passed. */
export async function elapse(database: TestDatabase, minutes: number): Promise<void> {
  await database.query("update store set expires_at = expires_at - $1::float8 * interval '1 minute'", [
    minutes,
  ]);
}
