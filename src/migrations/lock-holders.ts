import { type Kysely, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { timeText } from "../db/number-text.js";
import type { LockHolder } from "../errors/index.js";
import { TABLE_USE } from "./table-use.js";

/** How many holders an error names. */
const MOST_NAMED = 3;

/** An expression for the key of the advisory lock that the migrations of a schema take. */
export function migrationLockKey(schema: string): RawBuilder<bigint> {
  return sql<bigint>`hashtextextended(${`langgraph-checkpoint-kysely ${schema}`}, 0)`;
}

/** Returns the session that migrates a schema, if any. */
export function holdersOfMigrationLock(
  db: Kysely<CheckpointDatabase>,
  schema: string,
): Promise<readonly LockHolder[]> {
  return holdersOf(
    db,
    sql<SqlBool>`held.locktype = 'advisory' and held.objsubid = 1
      and (held.classid::bigint << 32) | held.objid::bigint = ${migrationLockKey(schema)}`,
  );
}

/** Returns the sessions that hold locks on tables of this library, the oldest transaction first. */
export function holdersOfTableLocks(
  db: Kysely<CheckpointDatabase>,
  schema: string,
): Promise<readonly LockHolder[]> {
  return holdersOf(
    db,
    sql<SqlBool>`held.relation in (
      select to_regclass(format('%I.%I', ${schema}::text, name))::oid
      from unnest(${Object.keys(TABLE_USE)}::text[]) as name)`,
  );
}

/** Names sessions for people. */
export function describeHolders(holders: readonly LockHolder[]): string {
  const more = holders.length > MOST_NAMED ? [`${holders.length - MOST_NAMED} more`] : [];
  return [...holders.slice(0, MOST_NAMED).map(describe), ...more].join(", ");
}

function describe({ processId, applicationName, since }: LockHolder): string {
  if (processId === undefined) return "a prepared transaction (see pg_prepared_xacts)";
  const known = [
    ...(applicationName === undefined ? [] : [`application "${applicationName}"`]),
    ...(since === undefined ? [] : [`in a transaction since ${since.toISOString()}`]),
  ];
  return `process ${processId}${known.length === 0 ? "" : ` (${known.join(", ")})`}`;
}

interface HolderRow {
  processId: number | null;
  applicationName: string | null;
  /** In milliseconds of Unix time, as text. Null where the role may not see the transaction of another role. */
  since: string | null;
}

/** It serves an error message: where the holders can't be read, as in a transaction that an error has ended, there are none. */
async function holdersOf(
  db: Kysely<CheckpointDatabase>,
  isHeld: RawBuilder<SqlBool>,
): Promise<readonly LockHolder[]> {
  const query = sql<HolderRow>`
    select held.pid as "processId", nullif(session.application_name, '') as "applicationName",
      ${timeText(sql`session.xact_start`)} as "since"
    from pg_locks held left join pg_stat_activity session using (pid)
    where held.granted and held.pid is distinct from pg_backend_pid()
      and held.database = (select oid from pg_database where datname = current_database()) and ${isHeld}
    group by held.pid, session.application_name, session.xact_start
    order by session.xact_start, held.pid`;
  try {
    const { rows } = await query.execute(db);
    return rows.map(({ processId, applicationName, since }) => ({
      processId: processId ?? undefined,
      applicationName: applicationName ?? undefined,
      since: since === null ? undefined : new Date(Number(since)),
    }));
  } catch {
    return [];
  }
}
