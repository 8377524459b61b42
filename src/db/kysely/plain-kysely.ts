import type { Kysely } from "kysely";
import { InvalidConfigError } from "../../errors/index.js";

/**
 * Returns a Kysely without plugins, so that columns keep their names in Postgres.
 *
 * @throws InvalidConfigError for anything else, such as a pool or a client.
 */
export function plainKysely<DB>(db: Kysely<DB>): Kysely<DB> {
  if (isKysely(db)) return db.withoutPlugins();
  throw new InvalidConfigError(
    "db",
    "expected a Kysely or a Transaction of one: `openDatabase(source).kysely` is one for a connection string, a pool or a PGlite",
  );
}

/** Programs without types may pass anything. Checks for a member, since two copies of Kysely may be installed. */
function isKysely(db: unknown): boolean {
  return typeof db === "object" && db !== null && "withoutPlugins" in db;
}

/** Whether all users of a Kysely share one connection, as on PGlite. The dialects of Kysely 0.28 don't tell, and have several. */
export function hasOneConnection<DB>(kysely: Kysely<DB>): boolean {
  return kysely.getExecutor().adapter.supportsMultipleConnections === false;
}
