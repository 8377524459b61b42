import { openDatabase, type OpenedDatabase } from "../../db/open-database.js";
import { isPGliteUrl } from "../../db/pglite/pglite-url.js";

/** Opens the database that a connection string describes. */
export type OpenUrl = (url: string) => OpenedDatabase;

/** Nobody waits at a command line for as long as the operating system tries to reach a silent host. */
export const CONNECTION_TIMEOUT_MS = 15_000;

/** Opens a database as the command line does: impatiently, and without prepared statements. */
export const openUrl: OpenUrl = (url) => {
  if (isPGliteUrl(url)) return openDatabase(url);
  return openDatabase(
    { connectionString: url, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS },
    { prepare: false },
  );
};
