import type { Tables } from "./in-locked-transaction.js";
import { type RawBuilder, sql } from "kysely";
import { readList, selectedList } from "../db/selected-list.js";
import { IncompatibleTablesError, type InvalidConfigError } from "../errors/index.js";
import { type FoundTable, type MigrationSet, TABLE_USE } from "./migration-set.js";
import {
  COUNTED_MIGRATIONS,
  differencesOf,
  missingColumns,
  type StoredTable,
  type ExpectedTable,
} from "./table-shape.js";
import { oidOf } from "./catalog-expressions.js";

/**
 * Checks whether existing relations with the names of a set's tables are such tables: `CREATE TABLE IF NOT EXISTS` would accept any
 * relation. Reads only the catalog, which every role may read.
 *
 * @returns The error for incompatible tables; `undefined` if there are none.
 */
export async function findIncompatibleTables(
  db: Tables,
  schema: string,
  set: MigrationSet,
): Promise<IncompatibleTablesError | undefined> {
  const { rows } = await sql<{
    tables: string;
  }>`select ${selectedList(storedTables(schema, set))} as tables`.execute(db);
  return incompatibilityOf(schema, set, foundTables(set, readList(rows[0]?.tables)));
}

/**
 * @param stored - The tables that {@link storedTables} returned.
 * @returns The error for a name that the set refuses, or for incompatible tables; `undefined` if there are none.
 */
export function refusalOf(
  schema: string,
  set: MigrationSet,
  stored: readonly string[],
): IncompatibleTablesError | InvalidConfigError | undefined {
  const found = foundTables(set, stored);
  const first = found.filter(({ table }) => Object.hasOwn(set.tables, table));
  return set.refuse?.(schema, first) ?? incompatibilityOf(schema, set, found);
}

/** An expression for the existing relations with the names of a set's tables, each as the JSON of a {@link StoredTable}. */
export function storedTables(schema: string, set: MigrationSet): RawBuilder<string[]> {
  return sql<string[]>`array(
    select json_build_object(
      'table', tables.name,
      'kind', relkind::text,
      'columns', (
        select coalesce(json_agg(json_build_object(
          'name', attname,
          'type', translate(format_type(atttypid, null), '"', ''),
          'length', case when atttypid = 'varchar'::regtype and atttypmod > 4 then atttypmod - 4 end,
          'notNull', attnotnull,
          'hasDefault', atthasdef,
          'isGenerated', attgenerated <> '' or attidentity = 'a',
          'isInexact', coalesce(not collisdeterministic, false)
        ) order by attnum), '[]')
        from pg_attribute left join pg_collation on pg_collation.oid = attcollation
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped),
      'keys', (
        select coalesce(json_agg(${keyColumns}), '[]') from pg_index
        where indrelid = pg_class.oid and indisunique and indisvalid and indimmediate and indpred is null and indexprs is null),
      'unique', (
        select coalesce(json_agg(json_build_object('index', named.relname, 'columns', ${keyColumns})), '[]')
        from pg_index join pg_class named on named.oid = indexrelid
        where indrelid = pg_class.oid and indisunique),
      'references', (
        select coalesce(json_agg(other.relname), '[]')
        from pg_constraint join pg_class other on other.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and other.relnamespace = pg_class.relnamespace)
    )::text
    from unnest(${Object.keys(shapesOf(set))}::text[]) as tables (name)
    join pg_class on pg_class.oid = to_regclass(format('%I.%I', ${schema}::text, tables.name)))`;
}

/** The names of the columns that an index keeps unique. */
const keyColumns = sql`coalesce((
    select json_agg(attname order by ordinality)
    from unnest(indkey[0:indnkeyatts - 1]) with ordinality as part (number, ordinality)
    join pg_attribute on attrelid = indrelid and attnum = number
  ), '[]')`;

function incompatibilityOf(
  schema: string,
  set: MigrationSet,
  found: readonly FoundTable[],
): IncompatibleTablesError | undefined {
  const first = found.filter(({ table }) => Object.hasOwn(set.tables, table));
  const wrong = found.find(({ missing }) => missing.length > 0);
  if (wrong !== undefined) {
    const recognized = set.recognize?.(schema, first);
    if (recognized !== undefined) return recognized;
    const missing = wrong.missing.map((column) => `"${column}"`).join(", ");
    return new IncompatibleTablesError(
      schema,
      "unknown",
      `table "${wrong.table}" of schema "${schema}" lacks the columns ${missing}: it is not a table of LangGraph. ` +
        "Use another schema",
    );
  }
  const different = found.filter(({ differences }) => differences.length > 0);
  if (different.length === 0) return undefined;
  const told = different.map(({ table, differences }) => `"${table}" ${differences.join(", and ")}`);
  return new IncompatibleTablesError(
    schema,
    "unknown",
    `schema "${schema}" has tables that differ from those of LangGraph: ${told.join("; ")}. ` +
      "Alter them so, or use another schema",
  );
}

function foundTables(set: MigrationSet, stored: readonly string[]): FoundTable[] {
  const shapes = shapesOf(set);
  return stored.flatMap((text) => {
    const table = JSON.parse(text) as StoredTable;
    const shape = shapes[table.table];
    if (shape === undefined) return [];
    return [
      {
        table: table.table,
        columns: table.columns.map(({ name }) => name),
        missing: missingColumns(table, shape),
        differences: differencesOf(table, shape, Object.keys(TABLE_USE)),
      },
    ];
  });
}

/** The shapes of all tables of a set, by their names. */
function shapesOf({
  tables,
  laterTables = {},
  countedIn,
}: MigrationSet): Readonly<Record<string, ExpectedTable>> {
  const later = Object.entries(laterTables).map(([name, { shape }]) => [name, shape] as const);
  return {
    ...tables,
    ...Object.fromEntries(later),
    ...(countedIn !== undefined && { [countedIn]: COUNTED_MIGRATIONS }),
  };
}

/** An expression for the tables, or partitions of them, that are partitioned by another key than the set allows, each with its key. */
export function otherPartitionKeys(
  schema: string,
  { tables: shapes, partitionKey }: MigrationSet,
): RawBuilder<string[]> {
  if (partitionKey === undefined) return sql<string[]>`'{}'::text[]`;
  const tables = sql.join(Object.keys(shapes).map((name) => oidOf(schema, name)));
  return sql<string[]>`array(
    select format('"%s" by %s', pg_class.relname, pg_get_partkeydef(partrelid))
    from unnest(array[${tables}]::oid[]) as tables (root)
    cross join lateral pg_partition_tree(root) as tree
    join pg_partitioned_table on partrelid = tree.relid
    join pg_class on pg_class.oid = partrelid
    left join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
    where partnatts > 1 or attname is distinct from ${partitionKey}
    order by 1)`;
}

/**
 * Refuses partitions by another key: a call names its thread, so Postgres would look into every partition for it.
 *
 * @param keys - The tables that {@link otherPartitionKeys} returned.
 */
export function refusalOfKeys(
  schema: string,
  { partitionKey = "" }: MigrationSet,
  keys: readonly string[],
): IncompatibleTablesError | undefined {
  if (keys.length === 0) return undefined;
  return new IncompatibleTablesError(
    schema,
    "partitions",
    `schema "${schema}" has partitioned ${keys.join(", ")}: every call names a thread, so each one would search all partitions. ` +
      `Partition the tables by ${partitionKey} alone`,
  );
}
