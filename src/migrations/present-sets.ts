import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { readList, selectedList } from "../db/selected-list.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { plainKysely } from "../db/kysely/plain-kysely.js";
import { CHECKPOINT_STORE_COLUMNS, checkpointStoreSet } from "./checkpoint-store-set.js";
import { isNameOfSavers, problemOfCheckpointTable, recordOfCheckpointTable } from "./checkpoint-table.js";
import { type MigrationSet, type OptionalTables, withRequired } from "./migration-set.js";
import { CHECKPOINT_SET, type OptionalTableOptions, optionalSets } from "./sets.js";

/** Which optional tables to migrate, and what they are like. */
export interface WantedTables extends OptionalTableOptions {
  /** The optional tables to create, `vectors` together with `store`. Those that exist are migrated anyway. Default: none. */
  readonly with?: readonly OptionalTables[] | undefined;
}

/**
 * Returns the sets that a schema has or should have: the tables of the savers, then the optional ones. Where a checkpoint store has a table
 * with the name of a saver's, as Go's have by default, savers have no tables.
 */
export async function presentSets(
  db: Kysely<CheckpointDatabase>,
  schema: string,
  { with: wanted = [], ...options }: WantedTables,
): Promise<MigrationSet[]> {
  const known = optionalSets(options);
  const { records, tables } = await readPresent(db, schema, Object.values(known));
  const names: readonly string[] = withRequired(wanted);
  const isFound = (name: string, { record }: MigrationSet) =>
    names.includes(name) || records.includes(record);
  const optional = Object.entries(known).flatMap(([name, set]) => (isFound(name, set) ? [set] : []));
  const others = tables.filter((table) =>
    optional.every(({ record }) => record !== recordOfCheckpointTable(table)),
  );
  const sets = [...optional, ...others.map((table) => checkpointStoreSet({ table }))];
  const hasSavers = !sets.some(({ checkpointTable = "" }) => isNameOfSavers(checkpointTable));
  return hasSavers ? [CHECKPOINT_SET, ...sets] : sets;
}

interface Present {
  /** Which of the records of known sets exist. */
  readonly records: readonly string[];
  /** The tables of checkpoint stores that have a record, whatever their names are. */
  readonly tables: readonly string[];
}

async function readPresent(
  db: Kysely<CheckpointDatabase>,
  schema: string,
  sets: readonly MigrationSet[],
): Promise<Present> {
  const records = sql<string[]>`array(
      select record from unnest(${sets.map(({ record }) => record)}::text[]) record
      where to_regclass(format('%I.%I', ${schema}::text, record)) is not null)`;
  const tables = sql<string[]>`array(
      select checkpoints.relname::text
      from pg_class checkpoints
      join pg_class record on record.relnamespace = checkpoints.relnamespace
        and record.relname::text = checkpoints.relname || ${recordOfCheckpointTable("")}
      where checkpoints.relnamespace = to_regnamespace(format('%I', ${schema}::text))
        and ${[...CHECKPOINT_STORE_COLUMNS]}::text[] <@ array(
          select attname::text from pg_attribute where attrelid = checkpoints.oid and not attisdropped)
      order by checkpoints.relname)`;
  const query = sql<{ records: string; tables: string }>`
    select ${selectedList(records)} as "records", ${selectedList(tables)} as "tables"`;
  const { rows } = await query.execute(plainKysely(db)).catch((error: unknown) => {
    throw toDatabaseError(error);
  });
  const [row] = rows;
  const names = readList(row?.tables).filter((table) => problemOfCheckpointTable(table) === undefined);
  return { records: readList(row?.records), tables: names };
}
