import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { migrateCommand } from "../db/migrate-command.js";
import { IncompatibleTablesError } from "../errors.js";

/** The columns that the tables of every saver which shares them have had from the first version on. */
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
/** What Python's shallow saver does without: it keeps one checkpoint of a namespace, and one value of a channel. */
const NOT_SHALLOW: Readonly<Record<string, readonly string[]>> = {
  checkpoints: ["checkpoint_id", "parent_checkpoint_id"],
  checkpoint_blobs: ["version"],
  checkpoint_writes: [],
};

/** A table that is there, and what it lacks. */
interface CheckedTable {
  readonly table: string;
  readonly missing: readonly string[];
}

/**
 * Looks whether tables of our names have our columns: `CREATE TABLE IF NOT EXISTS` would take others for our own. It asks the
 * catalog, which everyone may read.
 *
 * @throws IncompatibleTablesError where they have others.
 */
export async function refuseIncompatibleTables(
  db: Kysely<CheckpointDatabase>,
  schema: string,
): Promise<void> {
  const refusal = await findIncompatibleTables(db, schema);
  if (refusal !== undefined) throw refusal;
}

/** What {@link refuseIncompatibleTables} would throw. */
export async function findIncompatibleTables(
  db: Kysely<CheckpointDatabase>,
  schema: string,
): Promise<IncompatibleTablesError | undefined> {
  const found = await readTables(db, schema);
  const wrong = found.find(({ missing }) => missing.length > 0);
  if (wrong === undefined) return undefined;
  if (isShallow(found)) return new IncompatibleTablesError(schema, "python-shallow", shallowMessage(schema));
  const missing = wrong.missing.map((column) => `"${column}"`).join(", ");
  return new IncompatibleTablesError(
    schema,
    "unknown",
    `table "${wrong.table}" of schema "${schema}" lacks the columns ${missing}: it is not one of LangGraph's. ` +
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
    const expected = NOT_SHALLOW[table] ?? [];
    return missing.length === expected.length && missing.every((column) => expected.includes(column));
  });
}

async function readTables(db: Kysely<CheckpointDatabase>, schema: string): Promise<CheckedTable[]> {
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select tables.name as "table", array(
      select attname::text from pg_attribute where attrelid = tables.oid and attnum > 0 and not attisdropped
    ) as columns
    from (
      select name, to_regclass(format('%I.%I', ${schema}::text, name))::oid as oid
      from unnest(${Object.keys(COLUMNS)}::text[]) name
    ) tables
    where tables.oid is not null`.execute(db);
  return rows.map(({ table, columns }) => ({
    table,
    missing: (COLUMNS[table] ?? []).filter((column) => !columns.includes(column)),
  }));
}
