import { sql } from "kysely";
import { toDatabaseError } from "../db/to-database-error.js";
import { DatabaseError } from "../errors/index.js";
import type { DoctoredDatabase } from "./catalog.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning, error, unknown } = findingsOf("pooler");

/** What poolers name themselves on the server. */
const POOLER_NAMES = /supavisor|pgbouncer|pgcat|odyssey|pgpool|pgdog/i;
const PROTOCOL_VIOLATION = "08P01";

/**
 * Tells whether this is a connection to the server or to a pooler, by what the server calls the connection: it may be
 * another one from statement to statement, the same for two clients, or older than the client.
 */
export const checkPooler: Check = {
  name: "pooler",
  acrossConnections: true,
  run: async (examination) => {
    if (examination.isEmbedded) return [ok("none: PGlite has one connection, which all savers on it share")];
    const backend = await readBackend(examination.db);
    if (await isShared(examination.db)) {
      if (await refusesTransactions(examination.db)) {
        return [
          error(
            "a pooler in statement mode, which refuses transactions",
            "have it use transaction or session mode (docs/poolers.md)",
          ),
        ];
      }
      return [
        warning(
          "a pooler in transaction mode: statements of one client run on several connections",
          "give savers `prepare: false` unless it follows prepared statements, and let `watch` connect past it (docs/poolers.md)",
        ),
      ];
    }
    return [
      backend === undefined ? unknown("this session is not to be seen") : describeOwn(backend, examination),
    ];
  },
};

interface Backend {
  readonly ageMs: number;
  readonly name: string;
}

function describeOwn({ ageMs, name }: Backend, { openMs, limits }: Examination): Finding {
  const isOlder = ageMs > openMs() + limits.poolerAgeMs;
  if (!isOlder && !POOLER_NAMES.test(name)) return ok("none seen");
  return ok("a pooler in session mode, or one that nobody else uses now; nothing to set (docs/poolers.md)");
}

function readBackend(db: DoctoredDatabase): Promise<Backend | undefined> {
  return db
    .selectFrom("pg_catalog.pg_stat_activity")
    .select(sql<number>`(extract(epoch from clock_timestamp() - backend_start) * 1000)::float8`.as("ageMs"))
    .select(sql<string>`coalesce(application_name, '')`.as("name"))
    .where("pid", "=", sql<number>`pg_backend_pid()`)
    .executeTakeFirst();
}

/** Two clients at once, neither of them in a transaction, have the same connection only by way of a pooler. */
async function isShared(db: DoctoredDatabase): Promise<boolean> {
  return db.connection().execute((one) =>
    db.connection().execute(async (other) => {
      // Whether the pooler takes the connection that was used last or the next one in a circle.
      const pids = [await pidOf(one), await pidOf(other), await pidOf(other), await pidOf(one)];
      const [first, second, third, fourth] = pids;
      return first !== fourth || second !== third || first === second;
    }),
  );
}

async function pidOf(db: DoctoredDatabase): Promise<number> {
  const { pid } = await db.selectNoFrom(sql<number>`pg_backend_pid()`.as("pid")).executeTakeFirstOrThrow();
  return pid;
}

async function refusesTransactions(db: DoctoredDatabase): Promise<boolean> {
  try {
    await db.transaction().execute(pidOf);
    return false;
  } catch (reason) {
    const failure = toDatabaseError(reason);
    if (failure instanceof DatabaseError && failure.sqlState === PROTOCOL_VIOLATION) return true;
    throw failure;
  }
}
