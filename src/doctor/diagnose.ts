import { type Kysely, sql } from "kysely";
import { throwIfAborted } from "../db/statements/cancellation.js";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { hasOneConnection } from "../db/kysely/plain-kysely.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { ConnectionError, DatabaseError } from "../errors/index.js";
import type { DoctoredDatabase } from "./catalog.js";
import { checkBloat, checkVacuum } from "./check-vacuum.js";
import { checkCitus } from "./check-citus.js";
import { checkClock, checkFutureIds } from "./check-clocks.js";
import { checkCollation } from "./check-collation.js";
import { checkCompression, checkSplices } from "./check-stored-form.js";
import { checkIndexes } from "./check-indexes.js";
import { checkOptionalTables, checkSchema } from "./check-schema.js";
import { checkPartitions } from "./check-partitions.js";
import { checkPooler } from "./check-pooler.js";
import { checkPrivileges, checkRowSecurity } from "./check-privileges.js";
import { checkRows } from "./check-rows.js";
import { checkServer, checkSettings } from "./check-server.js";
import { DEFAULT_DOCTOR_LIMITS, type DoctorLimits, type Check, type Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import { readSchema, type SchemaState } from "./schema-state.js";

const CHECKS: readonly Check[] = [
  checkServer,
  checkPooler,
  checkSchema,
  checkOptionalTables,
  checkPrivileges,
  checkRowSecurity,
  checkCitus,
  checkIndexes,
  checkPartitions,
  checkCollation,
  checkClock,
  checkFutureIds,
  checkRows,
  checkBloat,
  checkVacuum,
  checkCompression,
  checkSplices,
  checkSettings,
];

const QUERY_CANCELED = "57014";
/** How often to try a check when its connection breaks. */
const ATTEMPTS = 2;

/** Options of {@link diagnose}. */
export interface DiagnoseOptions {
  /** The schema that holds the tables. */
  readonly schema: string;
  /** Ends the diagnosis between two checks. A Kysely of `kyselyUntil` also ends it during a check. */
  readonly signal?: AbortSignal;
  /**
   * Whether the connections were opened for this call, and no one else uses them. Otherwise it leaves out the check that needs several of
   * them, and that draws conclusions from their age. Default: true.
   */
  readonly ownsConnections?: boolean;
  /** Called at the first answer of the server. */
  readonly onReached?: () => void;
  readonly limits?: Partial<DoctorLimits>;
  /** This machine's clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Checks everything that a saver depends on: connection, server, tables, privileges, indexes, clocks, damaged and dead rows. It changes
 * nothing. What the role can't see becomes a finding, not an error.
 *
 * @param db - Opened for this call and not used yet, so that the age of its connections reveals poolers; see `ownsConnections`.
 * @throws ConnectionError when the database can't be reached, or goes away during the checks.
 * @throws DatabaseError when the server refuses the role.
 *
 * @example
 * ```ts
 * const findings = await diagnose(db, { schema: "agents" });
 * const isHealthy = findings.every(({ state }) => state !== "error");
 * ```
 */
export async function diagnose(
  db: Kysely<CheckpointDatabase>,
  { schema, signal, ownsConnections = true, onReached, limits, now = Date.now }: DiagnoseOptions,
): Promise<Finding[]> {
  const openedAt = performance.now();
  const catalog = db.withoutPlugins() as DoctoredDatabase;
  const examination: Examination = {
    db: catalog,
    schema: await reach(catalog, schema),
    limits: { ...DEFAULT_DOCTOR_LIMITS, ...limits },
    isEmbedded: hasOneConnection(db),
    openMs: () => performance.now() - openedAt,
    now,
  };
  onReached?.();
  const found: Finding[] = [];
  for (const check of CHECKS) {
    throwIfAborted(signal);
    if (ownsConnections || check.acrossConnections !== true)
      found.push(...(await examine(check, examination)));
    else found.push(...findingsOf(check.name).unknown("not checked: the application shares its connections"));
  }
  return found;
}

/** Runs a check. A check that the server refuses becomes a finding; a lost server is an error. */
async function examine(check: Check, examination: Examination): Promise<readonly Finding[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await (check.acrossConnections === true
        ? check.run(examination)
        : runBounded(check, examination));
    } catch (reason) {
      const error = toDatabaseError(reason);
      if (!(error instanceof DatabaseError)) throw error;
      // A pooler that refuses a statement closes the connection, and the pool may not have noticed yet.
      if (error instanceof ConnectionError && attempt < ATTEMPTS) continue;
      if (error instanceof ConnectionError) await reachAgain(examination);
      return refused(check, error, examination);
    }
  }
}

/** Runs a check with a statement timeout, so that it doesn't wait for locks, which may be the very problem. */
async function runBounded(check: Check, examination: Examination): Promise<readonly Finding[]> {
  return examination.db.transaction().execute(async (db) => {
    const timeout = sql<string>`set_config('statement_timeout', ${String(examination.limits.checkMs)}, true)`;
    await db.selectNoFrom(timeout.as("timeout")).execute();
    return check.run({ ...examination, db });
  });
}

function refused(check: Check, error: DatabaseError, { limits }: Examination): Finding[] {
  const { unknown } = findingsOf(check.name);
  if (error.sqlState !== QUERY_CANCELED) return unknown(error.message);
  return unknown(
    `the check took longer than ${limits.checkMs} ms: a table is locked, or the tables are very large`,
    "find the session that holds locks in pg_locks and pg_stat_activity, and try again",
  );
}

async function reachAgain({ db, schema }: Examination): Promise<void> {
  await reach(db, schema.name).catch(() => reach(db, schema.name));
}

async function reach(db: DoctoredDatabase, schema: string): Promise<SchemaState> {
  try {
    return await readSchema(db, schema);
  } catch (error) {
    throw toDatabaseError(error);
  }
}
