import { sql } from "kysely";
import { numberText, timeText } from "../db/number-text.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import { readList, selectedList } from "../db/selected-list.js";
import { MAY_HAVE_SHARDS, shardStatistics } from "../db/placement/shard-statistics.js";
import { type DoctoredDatabase, ROW_TABLES, ROW_TABLE_NAMES, holdingRelations } from "./catalog.js";
import { quoted } from "../db/migrate-command.js";

const vacuum = findingsOf("vacuum");
/** The text that Postgres shows instead of the query of another role's session. */
const HIDDEN = "<insufficient privilege>";

/** Checks what keeps vacuum from removing dead rows: sessions idle in a transaction, and old transaction ids. */
export const checkVacuum: Check = {
  name: "vacuum",
  run: async (examination) => {
    const found = [...(await ageOf(examination)), ...(await idleSessionsOf(examination))];
    return found.length > 0 ? found : vacuum.ok("no session holds vacuum back");
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
  return vacuum.warning(
    `the oldest transaction id is ${age.toLocaleString("en")} transactions old; at two billion the server stops accepting writes`,
    "end what holds vacuum back (long transactions, replication slots, prepared transactions), then vacuum (freeze) the database",
  );
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
    ...idle.flatMap(({ pid, role, application, ms }) => {
      const who = [role ?? "", application ?? ""].filter((name) => name !== "").join(", ");
      return vacuum.warning(
        `session ${pid} (${who}) is idle in a transaction that started ${Math.round(Number(ms) / 1_000)} s ago, and holds vacuum back`,
        `end it: select pg_terminate_backend(${pid}); then make the program end its transactions`,
      );
    }),
    ...(hidden.length > 0
      ? vacuum.unknown(
          "this role can't see the sessions of other roles",
          "grant pg_read_all_stats to the role",
        )
      : []),
  ];
}

const bloat = findingsOf("bloat");
const AUTOVACUUM_OFF = /^autovacuum_enabled=(?:false|off|no|0|f|n)$/i;

/** Checks for dead rows, and whether autovacuum removes them. */
export const checkBloat: Check = {
  name: "bloat",
  run: async (examination) => {
    const { db, schema } = examination;
    if (![...schema.tables.keys()].some((name) => ROW_TABLES.some((table) => table.name === name))) return [];
    const tables = await readTables(db, schema.name);
    const found = [
      ...(await autovacuumOf(examination)),
      ...tables.flatMap((table) => [...neglectOf(table), ...deadOf(table, examination)]),
    ];
    if (found.length > 0) return found;
    const names = [...new Set(tables.map(({ whole }) => whole))];
    return names.flatMap((name) => bloat.ok(describe(tables.filter(({ whole }) => whole === name))));
  },
};

type OwnRow = Awaited<ReturnType<typeof readOwn>>[number];
type TableRow = Omit<OwnRow, "mayHaveShards">;

/** Reads the statistics of each table, and instead those of its shards where they keep its rows. */
async function readTables(db: DoctoredDatabase, schema: string): Promise<TableRow[]> {
  const own = await readOwn(db, schema);
  if (own[0]?.mayHaveShards !== true) return own;
  const ofShards = new Map((await readShards(db, schema)).map((row) => [row.whole, row]));
  return own.map((row) => ({ ...row, ...ofShards.get(row.whole) }));
}

function readShards(db: DoctoredDatabase, schema: string) {
  const measured = shardStatistics(sql<string>`${schema}`, sql<string[]>`${ROW_TABLE_NAMES}`);
  return db
    .selectFrom(measured.as("shards"))
    .select(["name as whole", "live", "dead", "toast_live as toastLive", "toast_dead as toastDead"])
    .select(timeText<string | null>(sql`vacuumed::timestamptz`).as("vacuumedMs"))
    .select(
      (["size", "wholeSize"] as const).map((size) =>
        sql<string>`pg_size_pretty(table_bytes::bigint)`.as(size),
      ),
    )
    .select(sql<string>`pg_size_pretty(toast_bytes::bigint)`.as("wholeToastSize"))
    .execute();
}

/** Reads the statistics of each table, or of each of its partitions, and of its TOAST table, which holds long values. */
function readOwn(db: DoctoredDatabase, schema: string) {
  const count = (source: "own" | "toast", name: "n_live_tup" | "n_dead_tup") =>
    sql<number>`coalesce(${sql.ref(`${source}.${name}`)}, 0)::float8`;
  return (
    holdingRelations(db, schema, ROW_TABLE_NAMES)
      .leftJoin("pg_catalog.pg_class as long", "long.oid", "table.reltoastrelid")
      .leftJoin("pg_catalog.pg_stat_all_tables as own", "own.relid", "table.oid")
      .leftJoin("pg_catalog.pg_stat_all_tables as toast", "toast.relid", "table.reltoastrelid")
      .select(["whole.relname as whole", "own_namespace.nspname as schema", "table.relname as name"])
      .select(selectedList(sql<string[] | null>`"table".reloptions`).as("options"))
      .select(selectedList(sql<string[] | null>`"long".reloptions`).as("toastOptions"))
      .select([count("own", "n_live_tup").as("live"), count("own", "n_dead_tup").as("dead")])
      .select([count("toast", "n_live_tup").as("toastLive"), count("toast", "n_dead_tup").as("toastDead")])
      .select(timeText<string | null>(sql`greatest(own.last_vacuum, own.last_autovacuum)`).as("vacuumedMs"))
      .select(sql<string>`pg_size_pretty(pg_table_size("table".oid))`.as("size"))
      // Of all partitions together.
      .select(
        sql<string>`pg_size_pretty(sum(pg_table_size("table".oid)) over (partition by whole.oid))`.as(
          "wholeSize",
        ),
      )
      .select(
        sql<string>`pg_size_pretty(sum(coalesce(pg_relation_size("long".oid), 0)) over (partition by whole.oid))`.as(
          "wholeToastSize",
        ),
      )
      .select(MAY_HAVE_SHARDS.as("mayHaveShards"))
      .execute()
  );
}

async function autovacuumOf({ db, isEmbedded }: Examination): Promise<Finding[]> {
  // PGlite has no background processes, so it has no autovacuum.
  if (isEmbedded) return [];
  const off = await db
    .selectFrom("pg_catalog.pg_settings")
    .select("name")
    .where("name", "in", ["autovacuum", "track_counts"])
    .where("setting", "=", "off")
    .execute();
  return off.flatMap(({ name }) =>
    bloat.warning(
      `${name} is off, so autovacuum never removes dead rows`,
      `alter system set ${name} = on; select pg_reload_conf()`,
    ),
  );
}

function neglectOf({ schema, name, options, toastOptions }: TableRow): Finding[] {
  const table = quoted(schema, name);
  const isOff = (of: string): boolean => readList(of).some((one) => AUTOVACUUM_OFF.test(one));
  const settings = [
    ...(isOff(options) ? ["autovacuum_enabled"] : []),
    ...(isOff(toastOptions) ? ["toast.autovacuum_enabled"] : []),
  ];
  return settings.flatMap((setting) =>
    bloat.warning(
      `autovacuum is off for table "${name}" (${setting})`,
      `alter table ${table} reset (${setting})`,
    ),
  );
}

function deadOf(table: TableRow, { limits }: Examination): Finding[] {
  const isMuch = (dead: number, live: number): boolean =>
    dead > limits.deadRows && dead > limits.deadShare * live;
  if (!isMuch(table.dead, table.live) && !isMuch(table.toastDead, table.toastLive)) return [];
  const long =
    table.toastDead > 0
      ? `, and ${many(table.toastDead)} dead and ${many(table.toastLive)} live TOAST rows`
      : "";
  const { vacuumedMs: at } = table;
  const last = at === null ? "never vacuumed" : `last vacuumed ${new Date(Number(at)).toISOString()}`;
  return bloat.warning(
    `table "${table.name}" (${table.size}) has ${many(table.dead)} dead and ${many(table.live)} live rows${long}; ${last}`,
    `vacuum (analyze) ${quoted(table.schema, table.name)}; to return the space to the disk, use pg_repack`,
  );
}

function describe(parts: readonly TableRow[]): string {
  const [first] = parts;
  if (first === undefined) return "";
  const sum = (count: "live" | "dead") => many(parts.reduce((all, part) => all + part[count], 0));
  const { whole, wholeSize, wholeToastSize } = first;
  const partitions = whole === first.name ? "" : ` in ${parts.length} partitions`;
  return `${whole} ${wholeSize}${partitions} (${wholeToastSize} TOAST, ${sum("live")} live rows, ${sum("dead")} dead)`;
}

function many(count: number): string {
  return count.toLocaleString("en");
}
