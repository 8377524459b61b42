import { startContainerServer } from "./container-server.js";
import { startEmbeddedServer } from "./embedded-server.js";
import { withClient } from "./with-client.js";

/** A Postgres server on which the suite may create databases. */
export interface TestServer {
  /** The connection string of a role that may create databases. */
  readonly url: string;
  /** The origin of the server, for the line that says what the suite runs on. */
  readonly origin: string;
  /** Stops the server if it was started for the tests. */
  stop(): Promise<void>;
}

/**
 * Returns the server that the suite runs on: the Citus cluster that `CITUS_URL` names, else the one that `DATABASE_URL` names, else a container where an engine
 * answers, else the server binaries that npm installed. A suite without a server fails.
 */
export async function startTestServer(): Promise<TestServer> {
  const citus = process.env.CITUS_URL;
  if (citus !== undefined && citus !== "") {
    return { url: citus, origin: "CITUS_URL", stop: () => Promise.resolve() };
  }
  const url = process.env.DATABASE_URL;
  if (url !== undefined && url !== "") return { url, origin: "DATABASE_URL", stop: () => Promise.resolve() };
  const container = await startContainerServer();
  if (container !== undefined) return container;
  const server = await startEmbeddedServer();
  return { url: server.url, origin: "embedded", stop: () => server.remove() };
}

/** Whether the server has the extension of embeddings. */
export async function hasVectors(url: string): Promise<boolean> {
  const available = "select from pg_available_extensions where name = 'vector'";
  return withClient(url, async (client) => (await client.query(available)).rowCount === 1);
}

/**
 * Returns the clause with which the server creates an empty database fastest. Copying its files takes half the time of writing them to the
 * log, which Postgres 15 and later do by default.
 */
export async function databaseStrategy(url: string): Promise<string> {
  const atLeast15 = "select where current_setting('server_version_num')::int >= 150000";
  return withClient(url, async (client) =>
    (await client.query(atLeast15)).rowCount === 1 ? "strategy file_copy" : "",
  );
}

/** Drops a database of the run, which may not exist. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await withClient(url, (client) => client.query(`drop database if exists ${name} with (force)`));
}

/** Returns what the server says about itself, such as `PostgreSQL 18.4, collation en-US (icu)`. */
export async function describeServerVersion(url: string): Promise<string> {
  return withClient(url, async (client) => {
    const version = await client.query<{ server_version: string }>("show server_version");
    const locale = await client.query<{ locale: string }>(LOCALE_QUERY);
    const citus = await client.query<{ extversion: string }>(CITUS_QUERY);
    const extension = citus.rows[0] === undefined ? "" : `Citus ${citus.rows[0].extversion} on `;
    return `${extension}PostgreSQL ${version.rows[0]?.server_version ?? "?"}, collation ${locale.rows[0]?.locale ?? "?"}`;
  });
}

const CITUS_QUERY = "select extversion from pg_extension where extname = 'citus'";

// The column for the ICU locale was renamed in version 17. Reading it through jsonb avoids a query per version.
const LOCALE_QUERY = `
  select coalesce(d ->> 'datlocale', d ->> 'daticulocale', d ->> 'datcollate') as locale
  from (select to_jsonb(pg_database) as d from pg_database where datname = current_database()) as current`;
