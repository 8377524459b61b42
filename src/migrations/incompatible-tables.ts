import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { readList, selectedList } from "../db/selected-list.js";
import { IncompatibleTablesError, type InvalidConfigError } from "../errors/index.js";
import type { FoundTable, MigrationSet } from "./migration-set.js";

/**
 * Checks whether existing tables with the names of a set have its columns: `CREATE TABLE IF NOT EXISTS` would accept any table.
 * Reads only the catalog, which every role may read.
 *
 * @returns The error for incompatible tables; `undefined` if there are none.
 */
export async function findIncompatibleTables(
  db: Kysely<CheckpointDatabase>,
  schema: string,
  set: MigrationSet,
): Promise<IncompatibleTablesError | undefined> {
  const { rows } = await sql<{
    columns: string;
  }>`select ${selectedList(columnsOfTables(schema, set))} as columns`.execute(db);
  return incompatibilityOf(schema, set, readList(rows[0]?.columns));
}

/**
 * @param columns - The columns that {@link columnsOfTables} returned.
 * @returns The error for a name that the set refuses, or for incompatible tables; `undefined` if there are none.
 */
export function refusalOf(
  schema: string,
  set: MigrationSet,
  columns: readonly string[],
): IncompatibleTablesError | InvalidConfigError | undefined {
  return set.refuse?.(schema, foundTables(set, columns)) ?? incompatibilityOf(schema, set, columns);
}

/** An expression for the columns of the existing tables, each as `table.column`. */
export function columnsOfTables(schema: string, { columns }: MigrationSet): RawBuilder<string[]> {
  return sql<string[]>`array(
    select tables.name || '.' || coalesce(attname, '')
    from unnest(${Object.keys(columns)}::text[]) as tables (name)
    join pg_class on pg_class.oid = to_regclass(format('%I.%I', ${schema}::text, tables.name))
    left join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped)`;
}

/**
 * @param columns - The columns that {@link columnsOfTables} returned.
 * @returns The error for incompatible tables; `undefined` if there are none.
 */
function incompatibilityOf(
  schema: string,
  set: MigrationSet,
  columns: readonly string[],
): IncompatibleTablesError | undefined {
  const found = foundTables(set, columns);
  const wrong = found.find(({ missing }) => missing.length > 0);
  if (wrong === undefined) return undefined;
  const recognized = set.recognize?.(schema, found);
  if (recognized !== undefined) return recognized;
  const missing = wrong.missing.map((column) => `"${column}"`).join(", ");
  return new IncompatibleTablesError(
    schema,
    "unknown",
    `table "${wrong.table}" of schema "${schema}" lacks the columns ${missing}: it is not a table of LangGraph. ` +
      "Use another schema",
  );
}

function foundTables(set: MigrationSet, found: readonly string[]): FoundTable[] {
  return Object.entries(set.columns).flatMap(([table, expected]) => {
    const ofTable = found.filter((column) => column.startsWith(`${table}.`));
    const columns = ofTable.map((column) => column.slice(table.length + 1));
    if (columns.length === 0) return [];
    return [{ table, columns, missing: expected.filter((column) => !columns.includes(column)) }];
  });
}
