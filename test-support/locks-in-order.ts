import pg from "pg";
import { untilOneWaits } from "./held-locks.js";
import type { TestDatabase } from "./test-database.js";

/** Join methods: where rows are not locked before they are changed, the order of the locks depends on them. */
export const JOIN_METHODS = [
  ["nested loops", "-c enable_hashjoin=off -c enable_mergejoin=off"],
  ["hash joins", "-c enable_nestloop=off -c enable_mergejoin=off"],
] as const;

/**
 * Expects that a call locks these rows in this order. Another connection holds the first one while the call waits for it, and then takes the
 * others, for which it would wait if the call had one of them. It gives up before the server ends the call because of the deadlock, since
 * the call would begin again.
 *
 * @param take - Locks a row on that connection, or inserts it.
 */
export async function expectLocksInOrder<Row>(
  database: TestDatabase<string>,
  [first, ...others]: readonly [Row, ...Row[]],
  take: (locker: pg.Client, row: Row) => Promise<unknown>,
  call: () => Promise<unknown>,
): Promise<void> {
  const locker = new pg.Client({ connectionString: database.source });
  await locker.connect();
  try {
    await locker.query("begin; set local lock_timeout = '100ms'");
    await take(locker, first);
    const done = call();
    done.catch(() => undefined);
    await untilOneWaits(database);
    for (const each of others) await take(locker, each);
    await locker.query("rollback");
    await done;
  } finally {
    await locker.end();
  }
}
