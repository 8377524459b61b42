import type { OpenTransaction } from "../in-locked-transaction.js";
import { textOfStatement } from "../catalog-expressions.js";
import { type RawBuilder, sql } from "kysely";
import { readList, selectedList } from "../../db/selected-list.js";
import { MigrationError } from "../../errors/index.js";
import {
  type TableState,
  type ConvertedTable,
  nextName,
  mirrorName,
  truncateMirrorName,
} from "./conversion-state.js";

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
export async function copyNextRows(
  db: OpenTransaction,
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
export async function compareNextRows(
  db: OpenTransaction,
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
async function useIndexes(db: OpenTransaction): Promise<void> {
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

/**
 * Creates the triggers that repeat each change of a table in its replacement, within the transaction of the change (C15). They run as
 * the owner of the table: the roles that write have no privilege on the replacement, and no policy applies to it.
 */
export async function createMirror(db: OpenTransaction, schema: string, state: TableState): Promise<void> {
  const { table } = state;
  const mirror = sql.id(mirrorName(table));
  const truncated = sql.id(truncateMirrorName(table));
  const original = sql.id(schema, table.name);
  const procedure = sql`${sql.id(schema, mirrorName(table))}()`;
  await sql`create function ${procedure} returns trigger language plpgsql security definer
    set search_path = pg_catalog, pg_temp as ${sql.lit(bodyOf(schema, state))}`.execute(db);
  // Otherwise any role could make it the trigger of a table of its own, and write into the replacement.
  await sql`revoke all on function ${procedure} from public`.execute(db);
  await sql`create trigger ${mirror} after insert or update or delete on ${original}
    for each row execute function ${procedure}`.execute(db);
  await sql`create trigger ${truncated} after truncate on ${original}
    for each statement execute function ${procedure}`.execute(db);
  // Also for rows that logical replication writes.
  await sql`alter table ${original} enable always trigger ${mirror}, enable always trigger ${truncated}`.execute(
    db,
  );
}

function bodyOf(schema: string, { table, columns }: TableState): string {
  const next = sql.id(schema, nextName(table));
  const key = table.key.map(({ name }) => name);
  const values = columns.filter((name) => !key.includes(name));
  const insert = (row: "old" | "new") =>
    sql`insert into ${next} (${columnList(columns)}) values (${columnListOf(row, columns)}) on conflict (${columnList(key)})`;
  const replaced = sql.join(values.map((name) => sql`${sql.id(name)} = ${sql.id("excluded", name)}`));
  const [first = ""] = values;
  return textOfStatement(sql`
    begin
      if tg_op = 'TRUNCATE' then
        truncate ${next};
        return null;
      end if;
      if tg_op = 'DELETE' or tg_op = 'UPDATE' and (${columnListOf("old", key)}) is distinct from (${columnListOf("new", key)}) then
        -- Where a transaction has one snapshot, a row that was copied after it is hidden from "delete". Then "on conflict" ends the
        -- transaction as a serialization failure.
        if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
          ${insert("old")} do update set ${sql.id(first)} = ${sql.id("excluded", first)} where false;
        end if;
        delete from ${next} where (${columnList(key)}) = (${columnListOf("old", key)});
      end if;
      if tg_op <> 'DELETE' then
        ${insert("new")} do update set ${replaced};
      end if;
      return null;
    end`);
}

/** A list of columns. */
function columnList(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.id(name)));
}

/** A list of the columns of a row. */
function columnListOf(row: string, columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.id(row, name)));
}
