import { existsSync } from "node:fs";
import { join } from "node:path";
import { pgliteFolderOf } from "../db/pglite/pglite-url.js";
import { ConnectionError } from "../errors/index.js";

/** What every folder with a Postgres in it has. */
const MARK = "PG_VERSION";

/**
 * Refuses a folder that has no database in it: PGlite would make one, of which a misspelt name would never be told.
 *
 * @throws ConnectionError naming the folder.
 */
export function requireFolder(url: string): void {
  const folder = pgliteFolderOf(url);
  if (folder === undefined || existsSync(join(folder, MARK))) return;
  throw new ConnectionError(`there is no database in the folder "${folder}"; migrate makes one`);
}
