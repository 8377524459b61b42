import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { migrateCommand } from "../db/migrate-command.js";
import { IncompatibleTablesError } from "../errors/index.js";

/** The columns that the tables have had since their first version, in every saver that shares them. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  checkpoints: [
    "thread_id",
    "checkpoint_ns",
    "checkpoint_id",
    "parent_checkpoint_id",
    "checkpoint",
    "metadata",
  ],
  checkpoint_blobs: ["thread_id", "checkpoint_ns", "channel", "version", "type", "blob"],
  checkpoint_writes: [
    "thread_id",
    "checkpoint_ns",
    "checkpoint_id",
    "task_id",
    "idx",
    "channel",
    "type",
    "blob",
  ],
};
/** The columns that the tables of Python's shallow saver lack: it keeps one checkpoint of a namespace, and one value of a channel. */
const MISSING_IN_SHALLOW: Readonly<Record<string, readonly string[]>> = {
  checkpoints: ["checkpoint_id", "parent_checkpoint_id"],
  checkpoint_blobs: ["version"],
  checkpoint_writes: [],
};

/** An existing table and its missing columns. */
interface CheckedTable {
  readonly table: string;
  readonly missing: readonly string[];
}

/**
 * Checks whether existing tables with the names of checkpoint tables have their columns: `CREATE TABLE IF NOT EXISTS` would accept
 * any table. Reads only the catalog, which every role may read.
 *
 * @returns The error for incompatible tables; `undefined` if there are none.
 */
export async function findIncompatibleTables(
  db: Kysely<CheckpointDatabase>,
  schema: string,
): Promise<IncompatibleTablesError | undefined> {
  const { rows } = await sql<{ columns: string[] }>`select ${columnsOfTables(schema)} as columns`.execute(db);
  return incompatibilityOf(schema, rows[0]?.columns ?? []);
}

/** An expression for the columns of the existing tables, each as `table.column`. */
export function columnsOfTables(schema: string): RawBuilder<string[]> {
  return sql<string[]>`array(
    select tables.name || '.' || coalesce(attname, '')
    from unnest(${Object.keys(COLUMNS)}::text[]) as tables (name)
    join pg_class on pg_class.oid = to_regclass(format('%I.%I', ${schema}::text, tables.name))
    left join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped)`;
}

/**
 * @param columns - The columns that {@link columnsOfTables} returned.
 * @returns The error for incompatible tables; `undefined` if there are none.
 */
export function incompatibilityOf(
  schema: string,
  columns: readonly string[],
): IncompatibleTablesError | undefined {
  const found = checkedTables(columns);
  const wrong = found.find(({ missing }) => missing.length > 0);
  if (wrong === undefined) return undefined;
  if (isShallow(found)) return new IncompatibleTablesError(schema, "python-shallow", shallowMessage(schema));
  const missing = wrong.missing.map((column) => `"${column}"`).join(", ");
  return new IncompatibleTablesError(
    schema,
    "unknown",
    `table "${wrong.table}" of schema "${schema}" lacks the columns ${missing}: it is not a table of LangGraph. ` +
      "Use another schema",
  );
}

/** The command that converts the tables of Python's shallow saver. */
export function convertCommand(schema: string): string {
  return `${migrateCommand(schema)} --convert-shallow`;
}

function shallowMessage(schema: string): string {
  return (
    `schema "${schema}" has the tables of Python's ShallowPostgresSaver, which keep one checkpoint of a thread and ` +
    "have other columns: neither this library nor Python's PostgresSaver can use them. To convert them, stop the " +
    `services that use them and run \`${convertCommand(schema)}\`; or use another schema`
  );
}

function isShallow(found: readonly CheckedTable[]): boolean {
  return found.every(({ table, missing }) => {
    const expected = MISSING_IN_SHALLOW[table] ?? [];
    return missing.length === expected.length && missing.every((column) => expected.includes(column));
  });
}

function checkedTables(columns: readonly string[]): CheckedTable[] {
  return Object.entries(COLUMNS).flatMap(([table, expected]) =>
    columns.some((column) => column.startsWith(`${table}.`))
      ? [{ table, missing: expected.filter((column) => !columns.includes(`${table}.${column}`)) }]
      : [],
  );
}
