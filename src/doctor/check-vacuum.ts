import { sql } from "kysely";
import { numberText } from "../db/number-text.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning, unknown } = findingsOf("vacuum");
/** The text that Postgres shows instead of the query of another role's session. */
const HIDDEN = "<insufficient privilege>";

/** Checks what keeps vacuum from removing dead rows: sessions idle in a transaction, and old transaction ids. */
export const checkVacuum: Check = {
  name: "vacuum",
  run: async (examination) => {
    const found = [...(await ageOf(examination)), ...(await idleSessionsOf(examination))];
    return found.length > 0 ? found : [ok("no session holds vacuum back")];
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
      `the oldest transaction id is ${age.toLocaleString("en")} transactions old; at two billion the server stops accepting writes`,
      "end what holds vacuum back (long transactions, replication slots, prepared transactions), then vacuum (freeze) the database",
    ),
  ];
}

/**
 * A session that is idle in a transaction holds vacuum back only if it has a snapshot or has written. A session that holds a
 * thread lock has and does neither.
 */
async function idleSessionsOf({ db, limits }: Examination): Promise<Finding[]> {
  const others = db
    .selectFrom("pg_catalog.pg_stat_activity")
    .where("datname", "=", sql<string>`current_database()`)
    .where("pid", "<>", sql<number>`pg_backend_pid()`);
  const ageMs = sql<number>`(extract(epoch from clock_timestamp() - xact_start) * 1000)::float8`;
  const idle = await others
    .select(["pid", "usename as role", "application_name as application", numberText(ageMs).as("ms")])
    .where("state", "like", "idle in transaction%")
    .where(sql<boolean>`(backend_xmin is not null or backend_xid is not null)`)
    .where(ageMs, ">", limits.idleTransactionMs)
    .orderBy("pid")
    .execute();
  const hidden = await others.select("pid").where("query", "=", HIDDEN).limit(1).execute();
  return [
    ...idle.map(({ pid, role, application, ms }) => {
      const who = [role ?? "", application ?? ""].filter((name) => name !== "").join(", ");
      return warning(
        `session ${pid} (${who}) is idle in a transaction that started ${Math.round(Number(ms) / 1_000)} s ago, and holds vacuum back`,
        `end it: select pg_terminate_backend(${pid}); then make the program end its transactions`,
      );
    }),
    ...(hidden.length > 0
      ? [unknown("this role can't see the sessions of other roles", "grant pg_read_all_stats to the role")]
      : []),
  ];
}
