import type { TestDatabase } from "./targets.js";

/** Citus has views in `public`. */
const OF_NO_EXTENSION = `not exists (
  select from pg_depend where deptype = 'e' and objid = format('%I.%I', table_schema, table_name)::regclass)`;

/** Returns the columns and indexes of a schema from the catalog, to compare the schema with itself later. */
export async function dumpSchema(
  database: TestDatabase,
  schema = "public",
): Promise<Record<string, unknown>[]> {
  const columns = await database.query(
    `select table_name, column_name, data_type, is_nullable, column_default
     from information_schema.columns where table_schema = $1 and ${OF_NO_EXTENSION} order by table_name, column_name`,
    [schema],
  );
  const indexes = await database.query(
    "select indexname, indexdef from pg_indexes where schemaname = $1 order by indexname",
    [schema],
  );
  return [...columns, ...indexes];
}
