import { type Kysely, sql } from "kysely";
import { throwIfAborted } from "../db/statements/bounded-run.js";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { ConnectionError, DatabaseError } from "../errors/index.js";
import type { Catalog, DoctoredDatabase } from "./catalog.js";
import { checkBloat } from "./check-bloat.js";
import { checkClock } from "./check-clock.js";
import { checkCollation } from "./check-collation.js";
import { checkCompression } from "./check-compression.js";
import { checkFutureIds } from "./check-future-ids.js";
import { checkIndexes } from "./check-indexes.js";
import { checkPooler } from "./check-pooler.js";
import { checkPrivileges } from "./check-privileges.js";
import { checkRowSecurity } from "./check-row-security.js";
import { checkSchema } from "./check-schema.js";
import { checkServer } from "./check-server.js";
import { checkSettings } from "./check-settings.js";
import { checkVacuum } from "./check-vacuum.js";
import { DEFAULT_DOCTOR_LIMITS, type DoctorLimits } from "./doctor-limits.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import { readSchema, type SchemaState } from "./read-relations.js";

const CHECKS: readonly Check[] = [
  checkServer,
  checkPooler,
  checkSchema,
  checkPrivileges,
  checkRowSecurity,
  checkIndexes,
  checkCollation,
  checkClock,
  checkFutureIds,
  checkBloat,
  checkVacuum,
  checkCompression,
  checkSettings,
];

const QUERY_CANCELED = "57014";
/** How often a check is tried when its connection breaks. */
const ATTEMPTS = 2;

/** What is looked at, and how. */
export interface DiagnoseOptions {
  /** The schema that holds the tables. */
  readonly schema: string;
  /** Ends it between two checks. A Kysely of `kyselyUntil` ends it within a check too. */
  readonly signal?: AbortSignal;
  /** Called when the server has answered for the first time. */
  readonly onReached?: () => void;
  readonly limits?: Partial<DoctorLimits>;
  /** This machine's clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Looks at everything that a saver depends on: connection, server, tables, rights, indexes, clocks, what is left of deleted
 * rows. Changes nothing. What the role may not see is a finding as well, and no error.
 *
 * @param db - Opened for this: nothing has been sent through it yet, so that the age of its connections tells of poolers.
 * @throws ConnectionError when the database can't be reached, or is gone in the middle.
 * @throws DatabaseError when the server does not let the role in.
 *
 * @example
 * ```ts
 * const findings = await diagnose(db, { schema: "agents" });
 * const isHealthy = findings.every(({ state }) => state !== "error");
 * ```
 */
export async function diagnose(
  db: Kysely<CheckpointDatabase>,
  { schema, signal, onReached, limits, now = Date.now }: DiagnoseOptions,
): Promise<Finding[]> {
  const openedAt = performance.now();
  const catalog = db.withoutPlugins().$extendTables<Pick<Catalog, keyof Catalog>>();
  const examination: Examination = {
    db: catalog,
    schema: await reach(catalog, schema),
    limits: { ...DEFAULT_DOCTOR_LIMITS, ...limits },
    isEmbedded: !db.getExecutor().adapter.supportsMultipleConnections,
    openMs: () => performance.now() - openedAt,
    now,
  };
  onReached?.();
  const found: Finding[] = [];
  for (const check of CHECKS) {
    throwIfAborted(signal);
    found.push(...(await examine(check, examination)));
  }
  return found;
}

/** A check that the server refuses is one finding; where there is no server any more there is nothing to find. */
async function examine(check: Check, examination: Examination): Promise<readonly Finding[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await (check.acrossConnections === true
        ? check.run(examination)
        : runBounded(check, examination));
    } catch (reason) {
      const error = toDatabaseError(reason);
      if (!(error instanceof DatabaseError)) throw error;
      // A pooler that refuses something ends the connection, which the pool has not always seen yet.
      if (error instanceof ConnectionError && attempt < ATTEMPTS) continue;
      if (error instanceof ConnectionError) await reachAgain(examination);
      return [refused(check, error, examination)];
    }
  }
}

/** Ends what waits for a lock: a doctor must not wait in line behind what he is called for. */
async function runBounded(check: Check, examination: Examination): Promise<readonly Finding[]> {
  return examination.db.transaction().execute(async (db) => {
    const timeout = sql<string>`set_config('statement_timeout', ${String(examination.limits.checkMs)}, true)`;
    await db.selectNoFrom(timeout.as("timeout")).execute();
    return check.run({ ...examination, db });
  });
}

function refused(check: Check, error: DatabaseError, { limits }: Examination): Finding {
  const { unknown } = findingsOf(check.name);
  if (error.sqlState !== QUERY_CANCELED) return unknown(error.message);
  return unknown(
    `not found out within ${limits.checkMs} ms: somebody has locked a table, or they are very large`,
    "see in pg_locks and pg_stat_activity who holds locks, and try again",
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
