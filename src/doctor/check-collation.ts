import { sql } from "kysely";
import { type DoctoredDatabase, ROW_TABLES } from "./catalog.js";
import type { Check, Examination } from "./examination.js";
import { findingsOf } from "./finding.js";
import { quoted } from "../db/migrate-command.js";

const { ok, warning } = findingsOf("collation");

/** The first server version that records the collation version of a database. */
const FIRST_WITH_VERSIONS = 150_000;

/**
 * Checks the collation of the keys. If keys are sorted by a language, and an upgrade of the operating system changes its
 * rules, queries no longer find rows that exist.
 */
export const checkCollation: Check = {
  name: "collation",
  run: async (examination) => {
    const { db, schema } = examination;
    const tables = await languageTables(examination);
    if (tables === undefined) return [];
    if (tables.length === 0) return ok('keys are sorted by bytes (collation "C")');
    const changed = await changedCollation(db);
    if (changed === undefined)
      return ok("keys are sorted by the database's language, which is slower but correct");
    const again = tables.map((name) => `reindex table concurrently ${quoted(schema.name, name)}; `).join("");
    return warning(
      "the sort rules of the database's language have changed since the indexes were built, so queries may not find rows",
      `${again}then alter database ${quoted(changed)} refresh collation version`,
    );
  },
};

/** The tables whose keys are not sorted by bytes; `undefined` if there are no tables. */
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

/** The name of the database if its collation version has changed. */
async function changedCollation(db: DoctoredDatabase): Promise<string | undefined> {
  const version = sql<number>`current_setting('server_version_num')::integer`;
  const server = await db.selectNoFrom(version.as("version")).executeTakeFirstOrThrow();
  if (server.version < FIRST_WITH_VERSIONS) return undefined;
  const row = await db
    .selectFrom("pg_catalog.pg_database")
    .select("datname as name")
    .where("datname", "=", sql<string>`current_database()`)
    .where(sql<boolean>`datcollversion <> pg_database_collation_actual_version(oid)`)
    .executeTakeFirst();
  return row?.name;
}
