import { sql } from "kysely";
import type { DoctoredDatabase } from "./catalog.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const OLDEST_VERSION = 140_000;
const ROUND_TRIPS = 3;

/** Checks the connection, version, encoding and free connections of the server, and whether it accepts writes. */
export const checkServer: Check = {
  name: "connection",
  run: async (examination) => {
    const server = await readServer(examination.db);
    const latencyMs = await measureRoundTrip(examination.db);
    return [
      connectionOf(server, latencyMs, examination),
      versionOf(server),
      writesOf(server),
      encodingOf(server),
      ...(examination.isEmbedded ? [] : [connectionsOf(server, examination)]),
    ];
  },
};

type Server = Awaited<ReturnType<typeof readServer>>;

function readServer(db: DoctoredDatabase) {
  return db
    .selectNoFrom((eb) => [
      sql<string>`current_database()::text`.as("database"),
      sql<string>`current_user::text`.as("role"),
      sql<string>`current_setting('server_version')`.as("version"),
      sql<number>`current_setting('server_version_num')::integer`.as("versionNumber"),
      sql<string>`current_setting('server_encoding')`.as("encoding"),
      sql<boolean>`pg_is_in_recovery()`.as("isInRecovery"),
      sql<boolean>`current_setting('transaction_read_only')::boolean`.as("isReadOnly"),
      sql<number>`current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer`.as(
        "maxConnections",
      ),
      // Includes connections of other roles, which pg_stat_activity may hide.
      sql<number>`(select coalesce(sum(numbackends), 0)::integer from pg_catalog.pg_stat_database)`.as(
        "connections",
      ),
      eb
        .selectFrom("pg_catalog.pg_stat_ssl")
        .where("pid", "=", sql<number>`pg_backend_pid()`)
        .where("ssl", "=", true)
        .select("version")
        .as("tls"),
    ])
    .executeTakeFirstOrThrow();
}

/** The fastest of several round trips: the server loads caches during the first ones. */
async function measureRoundTrip(db: DoctoredDatabase): Promise<number> {
  const query = db.selectNoFrom(sql<number>`1`.as("one"));
  let fastest = Infinity;
  for (let trip = 0; trip < ROUND_TRIPS; trip++) {
    const began = performance.now();
    await query.execute();
    fastest = Math.min(fastest, performance.now() - began);
  }
  return fastest;
}

function connectionOf(
  { database, role, tls }: Server,
  latencyMs: number,
  { isEmbedded }: Examination,
): Finding {
  const time = `answers in ${latencyMs.toFixed(1)} ms`;
  const { ok } = findingsOf("connection");
  if (isEmbedded) return ok(`PGlite, in this process, ${time}`);
  return ok(`database "${database}" as "${role}", ${time}, ${tls === null ? "without TLS" : `with ${tls}`}`);
}

function versionOf({ version, versionNumber }: Server): Finding {
  const { ok, error } = findingsOf("version");
  if (versionNumber >= OLDEST_VERSION) return ok(`PostgreSQL ${version}`);
  return error(`PostgreSQL ${version} is not supported`, "upgrade the server to PostgreSQL 14 or later");
}

function writesOf({ isInRecovery, isReadOnly }: Server): Finding {
  const { ok, error } = findingsOf("read-only");
  if (isInRecovery) {
    return error(
      "the server is in recovery, and accepts no writes",
      "connect to the primary (by its host name, or target_session_attrs=read-write), or promote this server",
    );
  }
  if (!isReadOnly) return ok("no: the server accepts writes");
  return error(
    "transactions are read-only by default",
    "set default_transaction_read_only to off for the server, the database and the role",
  );
}

function encodingOf({ encoding, database }: Server): Finding {
  const { ok, error } = findingsOf("encoding");
  if (encoding === "UTF8") return ok(encoding);
  return error(
    `database "${database}" is encoded in ${encoding}, which can't store every text`,
    "create a database with encoding 'UTF8' template template0, and move the threads there with export and import",
  );
}

function connectionsOf({ connections, maxConnections }: Server, { limits }: Examination): Finding {
  const { ok, warning } = findingsOf("connections");
  const message = `${connections} of ${maxConnections} connections are in use`;
  if (connections < limits.connectionShare * maxConnections) return ok(message);
  return warning(
    message,
    "use smaller pools in your services, put a pooler in front of the server, or raise max_connections",
  );
}
