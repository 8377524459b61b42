import type { Kysely } from "kysely";

/** Whether all users of a Kysely share one connection, as on PGlite. The dialects of Kysely 0.28 don't tell, and have several. */
export function hasOneConnection<DB>(kysely: Kysely<DB>): boolean {
  return kysely.getExecutor().adapter.supportsMultipleConnections === false;
}
