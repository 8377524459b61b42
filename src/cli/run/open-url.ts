import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../db/open-database.js";
import type { OpenedDatabase } from "../../db/opened-database.js";
import { isPGliteUrl, pgliteFolderOf, pgliteUrlFault } from "../../db/pglite/pglite-url.js";
import { connectionStringFault } from "../../db/pool/connection-string.js";
import { ConnectionError, InvalidConfigError } from "../../errors/index.js";
import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { explainConnectionError } from "../errors/explain-connection-error.js";
import type { DatabaseAddress } from "../../telemetry/logger.js";
import type { CommandIO } from "../command-io.js";
import { printable } from "../output/printable.js";

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

/** How {@link openNamed} opens a database. */
interface OpenNamedOptions {
  /** Whether to create the database of a folder that has none. */
  readonly createsDatabase?: boolean | undefined;
  /** Where the connection string is from, for errors. */
  readonly name?: string;
  /** What to do where a folder has no database, for errors. */
  readonly remedy?: string;
}

/**
 * Opens a database that the user has named.
 *
 * @throws InvalidConfigError for a malformed connection string. The message does not quote it, but names the most frequent cause.
 * @throws ConnectionError for a folder without a database: PGlite would create an empty one there, which would hide a misspelt name.
 */
export function openNamed(url: string, open: OpenUrl, options: OpenNamedOptions = {}): OpenedDatabase {
  const {
    createsDatabase = false,
    name = "--url or DATABASE_URL",
    remedy = "`migrate` creates one",
  } = options;
  try {
    if (!createsDatabase && pgliteUrlFault(url) === undefined) requireDatabaseFolder(url, remedy);
    return open(url);
  } catch (error) {
    throw explainMalformedUrl(error, url, name);
  }
}

function requireDatabaseFolder(url: string, remedy: string): void {
  const folder = pgliteFolderOf(url);
  if (folder === undefined || existsSync(join(folder, VERSION_FILE))) return;
  throw new ConnectionError(`no database found in folder "${folder}"; ${remedy}`);
}

function explainMalformedUrl(error: unknown, url: string, name: string): unknown {
  if (!(error instanceof InvalidConfigError)) return error;
  const fault = isPGliteUrl(url) ? pgliteUrlFault(url) : connectionStringFault(url);
  return new InvalidConfigError(
    name,
    `not a valid connection string; ${fault === undefined ? "" : `${fault}; `}` +
      "special characters in user, password and database must be percent-encoded",
    { cause: error },
  );
}

/**
 * Connects once without retries, so that a mistyped port fails at once. Later, calls are retried if the server goes away.
 *
 * @returns Whether the server is a standby, on which a write fails as often as it is retried.
 */
export async function testConnection(db: Kysely<CheckpointDatabase>): Promise<{ readonly standby: boolean }> {
  try {
    const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
    return { standby: rows[0]?.standby === true };
  } catch (error) {
    throw explainConnectionError(toDatabaseError(error));
  }
}

const NOTICE_AFTER_MS = 1_500;

/**
 * Prints a notice on standard error if the server does not answer soon. A server that refuses the connection fails the command
 * at once; a firewall that drops packets would leave the user waiting without a message until the timeout.
 *
 * @param afterMs - The time until the notice, in milliseconds.
 * @returns A function that cancels the notice. May be called more than once.
 */
export function startWaitingNotice(
  { stderr }: CommandIO,
  { host, port }: DatabaseAddress,
  afterMs = NOTICE_AFTER_MS,
): () => void {
  // PGlite has no host: it runs in this process.
  if (host === undefined) return () => undefined;
  const where = host.startsWith("/") ? host : `${host}:${port ?? ""}`;
  const timer = setTimeout(() => {
    stderr.write(
      `waiting for an answer from ${printable(where)} (connection timeout: ${CONNECTION_TIMEOUT_MS / 1_000} s)\n`,
    );
  }, afterMs);
  return () => {
    clearTimeout(timer);
  };
}
