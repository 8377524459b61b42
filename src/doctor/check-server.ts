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
      ...connectionOf(server, latencyMs, examination),
      ...versionOf(server),
      ...writesOf(server),
      ...encodingOf(server),
      ...(examination.isEmbedded ? [] : connectionsOf(server, examination)),
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
): Finding[] {
  const time = `answers in ${latencyMs.toFixed(1)} ms`;
  const { ok } = findingsOf("connection");
  if (isEmbedded) return ok(`PGlite, in this process, ${time}`);
  return ok(`database "${database}" as "${role}", ${time}, ${tls === null ? "without TLS" : `with ${tls}`}`);
}

function versionOf({ version, versionNumber }: Server): Finding[] {
  const { ok, error } = findingsOf("version");
  if (versionNumber >= OLDEST_VERSION) return ok(`PostgreSQL ${version}`);
  return error(`PostgreSQL ${version} is not supported`, "upgrade the server to PostgreSQL 14 or later");
}

function writesOf({ isInRecovery, isReadOnly }: Server): Finding[] {
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

function encodingOf({ encoding, database }: Server): Finding[] {
  const { ok, error } = findingsOf("encoding");
  if (encoding === "UTF8") return ok(encoding);
  return error(
    `database "${database}" is encoded in ${encoding}, which can't store every text`,
    "create a database with encoding 'UTF8' template template0, and move the threads there with export and import",
  );
}

function connectionsOf({ connections, maxConnections }: Server, { limits }: Examination): Finding[] {
  const { ok, warning } = findingsOf("connections");
  const message = `${connections} of ${maxConnections} connections are in use`;
  if (connections < limits.connectionShare * maxConnections) return ok(message);
  return warning(
    message,
    "use smaller pools in your services, put a pooler in front of the server, or raise max_connections",
  );
}

const settingFindings = findingsOf("settings");

/** The shortest acceptable idle timeout in a transaction that an application shares with a saver. */
const SHORTEST_PAUSE_MS = 1_000;

const IN_FILE = "set it to on in postgresql.conf, and reload the server";
/** The risk of each setting when it is off, and the remedy. */
const DURABILITY: Readonly<Record<string, readonly [risk: string, remedy: string]>> = {
  fsync: ["a crash of the machine can destroy the whole database", IN_FILE],
  full_page_writes: ["a crash of the machine can leave half-written pages", IN_FILE],
  synchronous_commit: [
    "a crash of the server loses the last acknowledged writes",
    "set it to on for the server, the database and the role",
  ],
};
const TIMEOUTS = ["statement_timeout", "transaction_timeout"] as const;
const PAUSE = "idle_in_transaction_session_timeout";

/** Checks settings of the server, the database or the role that lose acknowledged writes or end calls early. */
export const checkSettings: Check = {
  name: "settings",
  run: async (examination) => {
    const rows = await examination.db
      .selectFrom("pg_catalog.pg_settings")
      // The value at the start of the session, because `doctor` sets a timeout for its own statements.
      .select(["name", "reset_val as setting"])
      .where("name", "in", [...Object.keys(DURABILITY), ...TIMEOUTS, PAUSE])
      .orderBy("name")
      .execute();
    const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
    const found = [...durabilityOf(settings, examination), ...timeoutsOf(settings, examination)];
    return found.length > 0 ? found : settingFindings.ok("no setting loses writes or ends calls early");
  },
};

type Settings = ReadonlyMap<string, string>;

function durabilityOf(settings: Settings, { isEmbedded }: Examination): Finding[] {
  // PGlite always runs without fsync, and users can't change that.
  if (isEmbedded) return [];
  return Object.entries(DURABILITY)
    .filter(([name]) => settings.get(name) === "off")
    .flatMap(([name, [risk, remedy]]) => settingFindings.warning(`${name} is off: ${risk}`, remedy));
}

function timeoutsOf(settings: Settings, { limits }: Examination): Finding[] {
  const tooShort = (name: string, leastMs: number): number | undefined => {
    const ms = Number(settings.get(name) ?? 0);
    return ms > 0 && ms < leastMs ? ms : undefined;
  };
  const found = TIMEOUTS.flatMap((name) => {
    const ms = tooShort(name, limits.statementTimeoutMs);
    if (ms === undefined) return [];
    const message = `${name} is ${ms} ms, which may cancel reads of long threads, prune and migrations`;
    return settingFindings.warning(
      message,
      "raise it for this role, and limit single calls by the saver's statementTimeoutMs",
    );
  });
  const pause = tooShort(PAUSE, SHORTEST_PAUSE_MS);
  if (pause === undefined) return found;
  const message = `${PAUSE} is ${pause} ms, which may end a transaction that you pass to a saver between two statements`;
  return [...found, ...settingFindings.warning(message, "raise it for this role")];
}
