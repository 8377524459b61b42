import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../db/open-database.js";
import type { OpenedDatabase } from "../../db/opened-database.js";
import { isPGliteUrl, pgliteFolderOf } from "../../db/pglite/pglite-url.js";
import { ConnectionError } from "../../errors/index.js";

/** Opens the database of a connection string. */
export type OpenUrl = (url: string) => OpenedDatabase;

/** Shorter than the operating system's own timeout for a host that does not answer. */
export const CONNECTION_TIMEOUT_MS = 15_000;

/** A file that exists in the folder of every PostgreSQL database. */
const VERSION_FILE = "PG_VERSION";

/** Opens a database for the command line: with a short connection timeout, and without prepared statements. */
export const openUrl: OpenUrl = (url) => {
  if (isPGliteUrl(url)) return openDatabase(url);
  return openDatabase(
    { connectionString: url, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS },
    { prepare: false },
  );
};

/**
 * Refuses a PGlite folder without a database: PGlite would create an empty one there, which would hide a misspelt name.
 *
 * @throws ConnectionError naming the folder.
 */
export function requireDatabaseFolder(url: string): void {
  const folder = pgliteFolderOf(url);
  if (folder === undefined || existsSync(join(folder, VERSION_FILE))) return;
  throw new ConnectionError(`no database found in folder "${folder}"; \`migrate\` creates one`);
}
