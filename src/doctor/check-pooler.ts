import { sql } from "kysely";
import { timeText } from "../db/number-text.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { DatabaseError } from "../errors/index.js";
import type { DoctoredDatabase } from "./catalog.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning, error, unknown } = findingsOf("pooler");

/** The application names of poolers. */
const POOLER_NAMES = /supavisor|pgbouncer|pgcat|odyssey|pgpool|pgdog/i;
const PROTOCOL_VIOLATION = "08P01";

/**
 * Detects a pooler by the server process behind a connection: it may change from statement to statement, serve two clients,
 * or be older than the client.
 */
export const checkPooler: Check = {
  name: "pooler",
  acrossConnections: true,
  run: async (examination) => {
    if (examination.isEmbedded) return ok("no pooler: all savers on a PGlite share its one connection");
    const backend = await readBackend(examination.db);
    if (await isShared(examination.db)) {
      if (await refusesTransactions(examination.db)) {
        return error(
          "the connection goes through a pooler in statement mode, which refuses transactions",
          "switch the pooler to transaction or session mode (docs/poolers.md)",
        );
      }
      return warning(
        "the connection goes through a pooler in transaction mode, which runs the statements of a client on several connections",
        "set `prepare: false` on savers unless the pooler supports prepared statements, and connect `watch` directly to the server (docs/poolers.md)",
      );
    }
    return backend === undefined
      ? unknown("pg_stat_activity does not show this session")
      : describeOwn(backend, examination);
  },
};

interface Backend {
  readonly ageMs: string;
  readonly name: string;
}

function describeOwn({ ageMs, name }: Backend, { openMs, limits }: Examination): Finding[] {
  const isOlder = Number(ageMs) > openMs() + limits.poolerAgeMs;
  if (!isOlder && !POOLER_NAMES.test(name)) return ok("no pooler detected");
  return ok(
    "a pooler in session mode, or one that no other client uses now; nothing to configure (docs/poolers.md)",
  );
}

function readBackend(db: DoctoredDatabase): Promise<Backend | undefined> {
  return db
    .selectFrom("pg_catalog.pg_stat_activity")
    .select(timeText(sql`clock_timestamp() - backend_start`).as("ageMs"))
    .select(sql<string>`coalesce(application_name, '')`.as("name"))
    .where("pid", "=", sql<number>`pg_backend_pid()`)
    .executeTakeFirst();
}

/** Whether two clients outside of transactions get the same server process, which only a pooler does. */
async function isShared(db: DoctoredDatabase): Promise<boolean> {
  return db.connection().execute((one) =>
    db.connection().execute(async (other) => {
      // In this order, because a pooler may pick the most recently used connection or rotate through them.
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
