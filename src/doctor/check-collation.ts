import { sql } from "kysely";
import type { DoctoredDatabase } from "./catalog.js";
import { ROW_TABLES } from "./checked-tables.js";
import type { Check, Examination } from "./examination.js";
import { findingsOf } from "./finding.js";
import { quoted } from "./quoted.js";

const { ok, warning } = findingsOf("collation");

/** The server that first told of which version of a collation a database was made with. */
const TELLS_VERSIONS = 150_000;

/**
 * Whether the keys are sorted by bytes, or by a language whose rules have changed below the indexes, as an upgrade of the
 * operating system does it: then rows that are there are not found.
 */
export const checkCollation: Check = {
  name: "collation",
  run: async (examination) => {
    const { db, schema } = examination;
    const tables = await languageTables(examination);
    if (tables === undefined) return [];
    if (tables.length === 0) return [ok("keys are sorted by bytes")];
    const changed = await changedCollation(db);
    if (changed === undefined)
      return [ok("keys are sorted by the database's language: slower, and fine otherwise")];
    const again = tables.map((name) => `reindex table concurrently ${quoted(schema.name, name)}; `).join("");
    return [
      warning(
        `keys are sorted by a language whose rules have changed since the indexes were built: rows may not be found`,
        `${again}then alter database ${quoted(changed)} refresh collation version`,
      ),
    ];
  },
};

/** The tables with a key that is not sorted by bytes; `undefined` where there are no tables. */
async function languageTables({ db, schema }: Examination): Promise<string[] | undefined> {
  const tables = ROW_TABLES.filter(({ name }) => schema.tables.has(name));
  if (tables.length === 0) return undefined;
  const rows = await db
    .selectFrom("pg_catalog.pg_attribute as column")
    .innerJoin("pg_catalog.pg_class as table", "table.oid", "column.attrelid")
    .innerJoin("pg_catalog.pg_namespace as namespace", "namespace.oid", "table.relnamespace")
    .select("table.relname as name")
    .distinct()
    .where("namespace.nspname", "=", schema.name)
    .where(
      "table.relname",
      "in",
      tables.map(({ name }) => name),
    )
    .where("column.attname", "=", "thread_id")
    .where(sql<boolean>`"column".attcollation = 'pg_catalog.default'::regcollation`)
    .orderBy("table.relname")
    .execute();
  return rows.map(({ name }) => name);
}

/** The database's name, where its collation is of another version than it was. */
async function changedCollation(db: DoctoredDatabase): Promise<string | undefined> {
  const version = sql<number>`current_setting('server_version_num')::integer`;
  const server = await db.selectNoFrom(version.as("version")).executeTakeFirstOrThrow();
  if (server.version < TELLS_VERSIONS) return undefined;
  const row = await db
    .selectFrom("pg_catalog.pg_database")
    .select("datname as name")
    .where("datname", "=", sql<string>`current_database()`)
    .where(sql<boolean>`datcollversion <> pg_database_collation_actual_version(oid)`)
    .executeTakeFirst();
  return row?.name;
}
