import { type RawBuilder, sql, type Transaction } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { readList, selectedList } from "../../db/selected-list.js";
import { MigrationError } from "../../errors/index.js";
import type { TableState } from "./conversion-state.js";
import { type ConvertedTable, nextName } from "./converted-tables.js";
import { columnList, columnListOf } from "./mirror.js";

/** What was read of a table. */
export interface ReadRows {
  /** The number of rows. Fewer than the limit at the end of the table. */
  readonly rows: number;
  /** The key of the last row; null if there is none. */
  readonly last: readonly string[] | null;
}

/**
 * Copies the next rows of a table, in the order of its key. It locks them, so that a deletion waits until they are committed, and
 * its trigger deletes them from the replacement as well (C15). A row that was deleted first is not copied, and one that the trigger has
 * written already stays.
 *
 * @param after - The key of the last row that was copied; null at the beginning.
 */
export async function copyRows(
  db: Transaction<CheckpointDatabase>,
  schema: string,
  { table, columns }: TableState,
  after: readonly string[] | null,
  limit: number,
): Promise<ReadRows> {
  await useIndexes(db);
  const { rows } = await sql<SelectedRows>`
    with batch as materialized (
      select ${columnList(columns)} from ${sql.id(schema, table.name)} where ${isAfter(table, after)}
      order by ${keyOf(table)} limit ${limit}::integer for key share
    ), copied as (
      insert into ${sql.id(schema, nextName(table))} (${columnList(columns)}) select ${columnList(columns)} from batch
      on conflict do nothing
    )
    select count(*)::float8 as "rows", (${lastOf(table, sql`batch`)}) as "last" from batch`.execute(db);
  return readRows(rows);
}

/**
 * Compares the next rows of a table with those of its replacement. One statement sees both in one snapshot, in which they are
 * equal, whatever is written meanwhile.
 *
 * @throws MigrationError if they differ: something has changed rows without their triggers.
 */
export async function compareRows(
  db: Transaction<CheckpointDatabase>,
  schema: string,
  { table, columns }: TableState,
  after: readonly string[] | null,
  limit: number,
): Promise<ReadRows> {
  await useIndexes(db);
  const key = table.key.map(({ name }) => name);
  const [first = ""] = key;
  const select = (name: string) => sql`
    select ${columnList(columns)} from ${sql.id(schema, name)} where ${isAfter(table, after)}
    order by ${keyOf(table)} limit ${limit}::integer`;
  const { rows } = await sql<SelectedRows & { different: number }>`
    with original as materialized (${select(table.name)}), replacement as materialized (${select(nextName(table))})
    select count(*)::float8 as "rows", (${lastOf(table, sql`original`)}) as "last", (
      select count(*)::float8 from original full join replacement using (${columnList(key)})
      where ${sql.id("original", first)} is null or ${sql.id("replacement", first)} is null
        -- Compares bytes, since not every type of a column has an equality.
        or row(${columnListOf("original", columns)})::record *<> row(${columnListOf("replacement", columns)})::record
    ) as "different"
    from original`.execute(db);
  const different = rows[0]?.different ?? 0;
  if (different > 0) throw differs(table, different);
  return readRows(rows);
}

function differs({ name }: ConvertedTable, rows: number): MigrationError {
  return new MigrationError(
    `${rows} rows of table "${name}" differ from their copies: something writes without triggers. Nothing was lost, and the ` +
      "table is as it was. Give the conversion up, and begin again",
  );
}

/**
 * The statistics of a table that grows would make Postgres read all of it for each step. Without them it takes each step for so
 * expensive that it would compile it, which takes seconds.
 */
async function useIndexes(db: Transaction<CheckpointDatabase>): Promise<void> {
  await sql`select set_config(name, 'off', true)
    from unnest(array['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'jit']) as name`.execute(db);
}

function isAfter({ key }: ConvertedTable, after: readonly string[] | null): RawBuilder<boolean> {
  if (after === null) return sql<boolean>`true`;
  const values = key.map(({ type }, index) => sql`${after[index]}::text::${sql.raw(type)}`);
  return sql<boolean>`(${keyOf({ key })}) > (${sql.join(values)})`;
}

function keyOf({ key }: Pick<ConvertedTable, "key">): RawBuilder<unknown> {
  return columnList(key.map(({ name }) => name));
}

interface SelectedRows {
  readonly rows: number;
  readonly last: string | null;
}

function readRows([row]: readonly SelectedRows[]): ReadRows {
  if (row === undefined) return { rows: 0, last: null };
  return { rows: row.rows, last: row.last === null ? null : readList(row.last) };
}

function lastOf({ key }: ConvertedTable, rows: RawBuilder<unknown>): RawBuilder<string | null> {
  const values = sql.join(key.map(({ name }) => sql`${sql.id(name)}::text`));
  const descending = sql.join(key.map(({ name }) => sql`${sql.id(name)} desc`));
  return sql<
    string | null
  >`select ${selectedList(sql<string[]>`array[${values}]`)} from ${rows} order by ${descending} limit 1`;
}
