import { sql } from "kysely";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning, unknown } = findingsOf("vacuum");
/** What Postgres shows instead of what another role's session does. */
const HIDDEN = "<insufficient privilege>";

/** What keeps vacuum from cleaning up: sessions that do nothing in a transaction, and how far it is behind. */
export const checkVacuum: Check = {
  name: "vacuum",
  run: async (examination) => {
    const found = [...(await ageOf(examination)), ...(await sleepersOf(examination))];
    return found.length > 0 ? found : [ok("nothing holds it back")];
  },
};

async function ageOf({ db, limits }: Examination): Promise<Finding[]> {
  const { age, freezeAge } = await db
    .selectFrom("pg_catalog.pg_database")
    .select(sql<number>`age(datfrozenxid)::float8`.as("age"))
    .select(sql<number>`current_setting('autovacuum_freeze_max_age')::float8`.as("freezeAge"))
    .where("datname", "=", sql<string>`current_database()`)
    .executeTakeFirstOrThrow();
  if (age <= limits.transactionAge * freezeAge) return [];
  return [
    warning(
      `the oldest transaction id is ${age.toLocaleString("en")} transactions old: at two thousand million the server stops`,
      "find what holds vacuum back (long transactions, replication slots, prepared transactions), then vacuum (freeze) the database",
    ),
  ];
}

/**
 * A session that waits inside of a transaction holds vacuum back only where it has a snapshot or has written: one that
 * holds a thread's lock does neither.
 */
async function sleepersOf({ db, limits }: Examination): Promise<Finding[]> {
  const others = db
    .selectFrom("pg_catalog.pg_stat_activity")
    .where("datname", "=", sql<string>`current_database()`)
    .where("pid", "<>", sql<number>`pg_backend_pid()`);
  const waitedMs = sql<number>`(extract(epoch from clock_timestamp() - xact_start) * 1000)::float8`;
  const sleepers = await others
    .select(["pid", "usename as role", "application_name as application", waitedMs.as("ms")])
    .where("state", "like", "idle in transaction%")
    .where(sql<boolean>`(backend_xmin is not null or backend_xid is not null)`)
    .where(waitedMs, ">", limits.idleTransactionMs)
    .orderBy("pid")
    .execute();
  const hidden = await others.select("pid").where("query", "=", HIDDEN).limit(1).execute();
  return [
    ...sleepers.map(({ pid, role, application, ms }) => {
      const who = [role ?? "", application ?? ""].filter((name) => name !== "").join(", ");
      return warning(
        `session ${pid} (${who}) does nothing in a transaction for ${Math.round(ms / 1_000)} s and holds vacuum back`,
        `end it: select pg_terminate_backend(${pid}); see to it that this program ends its transactions`,
      );
    }),
    ...(hidden.length > 0
      ? [unknown("what sessions of other roles do is hidden from this one", "grant pg_read_all_stats to it")]
      : []),
  ];
}
