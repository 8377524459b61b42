import type { Tables } from "../in-locked-transaction.js";
import { sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { leavesOf, oidOf } from "../catalog-expressions.js";
import {
  type TableState,
  CONVERTED_TABLES,
  type ConvertedTable,
  mirrorName,
  nextName,
  PROGRESS_TABLE,
} from "./conversion-state.js";
import { type PartitionLayout, partitionsOf } from "./partition-layout.js";

/**
 * Refuses to replace a table that something of an application depends on, since that would stay with the old table.
 *
 * @throws MigrationError naming what depends on it.
 */
export async function refuseDependents(
  db: Tables,
  schema: string,
  tables: readonly TableState[],
): Promise<void> {
  const all = sql.join(CONVERTED_TABLES.map(({ name }) => oidOf(schema, name)));
  for (const { table } of tables) {
    const oid = oidOf(schema, table.name);
    const { rows } = await sql<{ name: string }>`
      select distinct pg_describe_object(classid, objid, 0) as name
      from pg_depend
      where deptype = 'n' and (
          refclassid = 'pg_class'::regclass and refobjid = ${oid}
          or refclassid = 'pg_type'::regclass and refobjid = (select reltype from pg_class where oid = ${oid})
        )
        -- A policy of one of these tables may read another one. All policies are created again.
        and not (classid = 'pg_policy'::regclass and objid in (select oid from pg_policy where polrelid in (${all})))
        -- A trigger with a condition depends on its columns. All triggers are created again.
        and not (classid = 'pg_trigger'::regclass and objid in (select oid from pg_trigger where tgrelid in (${all})))
      union all
      select pg_describe_object('pg_constraint'::regclass, oid, 0) from pg_constraint
      where conrelid = ${oid} and contype = 'f'
      union all
      select pg_describe_object('pg_rewrite'::regclass, oid, 0) from pg_rewrite where ev_class = ${oid}
      union all
      -- That of a schema, or of all tables, would publish the copies as well.
      select format('publication %I', pubname) from pg_publication_tables
      where (schemaname, tablename) in (
        select nspname, relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where pg_class.oid = ${oid} or pg_class.oid in (${leavesOf(oid)}))
      union all
      select pg_describe_object('pg_class'::regclass, inhparent, 0) from pg_inherits where inhrelid = ${oid}
      union all
      -- A partitioned table can't have it.
      select pg_describe_object('pg_trigger'::regclass, oid, 0) from pg_trigger
      where tgrelid = ${oid} and tgtype & 1 = 1 and (tgoldtable is not null or tgnewtable is not null)`.execute(
      db,
    );
    const [first] = rows;
    if (first === undefined) continue;
    throw new MigrationError(
      `the conversion replaces table "${table.name}", on which others depend: ${rows.map(({ name }) => name).join("; ")}. ` +
        "Nothing was changed. Drop them, convert the tables, and create them again",
    );
  }
}

/** Contains the number of partitions, so that tables of two layouts can exist at once. */
export function partitionName({ name }: ConvertedTable, count: number, remainder: number): string {
  return `${name}_hash${count}_${String(remainder).padStart(String(count - 1).length, "0")}`;
}

/** @throws MigrationError if relations or functions of others have the names that the conversion needs. */
export async function refuseTakenNames(
  db: Tables,
  schema: string,
  tables: readonly TableState[],
  layout: PartitionLayout,
): Promise<void> {
  const count = partitionsOf(layout);
  const relations = tables.flatMap(({ table }) => [
    nextName(table),
    ...Array.from({ length: count }, (_, remainder) => partitionName(table, count, remainder)),
  ]);
  const routines = tables.map(({ table }) => mirrorName(table));
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relnamespace = to_regnamespace(format('%I', ${schema}::text)) and relname = any (${[...relations, PROGRESS_TABLE]}::text[])
    union all
    select proname::text from pg_proc
    where pronamespace = to_regnamespace(format('%I', ${schema}::text)) and proname = any (${routines}::text[]) and pronargs = 0
    order by name`.execute(db);
  if (rows.length === 0) return;
  throw new MigrationError(
    `the conversion needs names that schema "${schema}" has already: ${rows.map(({ name }) => name).join(", ")}. ` +
      "Nothing was changed. Rename them first, or drop them",
  );
}
