import type { Tables } from "../in-locked-transaction.js";
import { type RawBuilder, sql } from "kysely";
import { readList, selectedList } from "../../db/selected-list.js";
import { leavesOf, oidOf } from "../catalog-expressions.js";

/** What the catalog says about a table and its conversion. */
export interface TableState {
  readonly table: ConvertedTable;
  /** The layout as {@link PartitionLayout} spells it, or a description of one that this library has not made. */
  readonly layout: string;
  /** The layout of the table that will replace it. `undefined` if no conversion is under way. */
  readonly next: string | undefined;
  /** Whether the replacement has the same columns and indexes, and gets every change of the table. */
  readonly isMirrored: boolean;
  /** The columns that an insert may name, in their order. */
  readonly columns: readonly string[];
  /** About how many rows the table has. */
  readonly estimatedRows: number;
  /** The disk that the table takes, with its indexes and long values. */
  readonly bytes: number;
}

/** Reads the state of the tables from the catalog. */
export async function readTables(db: Tables, schema: string): Promise<TableState[]> {
  const states: TableState[] = [];
  for (const table of CONVERTED_TABLES) {
    const oid = oidOf(schema, table.name);
    const nextOid = oidOf(schema, nextName(table));
    const { rows } = await sql<Row>`
      select
        ${layoutOf(oid)} as "layout",
        case when obj_description(${nextOid}, 'pg_class') = ${REPLACEMENT_COMMENT} then ${layoutOf(nextOid)} end as "next",
        ${shapeOf(oid)} = ${shapeOf(nextOid)} and exists (
          select from pg_trigger where tgrelid = ${oid} and tgname = ${mirrorName(table)} and tgenabled = 'A'
        ) as "isMirrored",
        ${selectedList(writableColumns(oid))} as "columns",
        (select coalesce(sum(greatest(reltuples, 0)), 0)::float8 from pg_class where oid in (${leavesOf(oid)}))
          as "estimatedRows",
        (select coalesce(sum(pg_total_relation_size(leaf)), 0)::float8 from (${leavesOf(oid)}) as leaves (leaf))
          as "bytes"`.execute(db);
    const [row] = rows;
    if (row === undefined) continue;
    const { layout, next, isMirrored, columns, ...rest } = row;
    if (layout === null) continue;
    states.push({
      ...{ table, layout, next: next ?? undefined, isMirrored: isMirrored === true },
      ...{ columns: readList(columns), ...rest },
    });
  }
  return states;
}

interface Row extends Pick<TableState, "estimatedRows" | "bytes"> {
  columns: string;
  layout: string | null;
  next: string | null;
  isMirrored: boolean | null;
}

function writableColumns(oid: RawBuilder<number | null>): RawBuilder<string[]> {
  return sql<string[]>`array(
    select attname::text from pg_attribute
    where attrelid = ${oid} and attnum > 0 and not attisdropped and attgenerated = '' order by attnum)`;
}

/** An expression for how a table is partitioned. Null if there is no table. */
function layoutOf(oid: RawBuilder<number | null>): RawBuilder<string | null> {
  return sql<string | null>`(
    select case
      when pg_get_partkeydef(relation.oid) is null then 'none'
      when pg_get_partkeydef(relation.oid) = 'HASH (thread_id)' and parts.are_equal then 'hash:' || parts.count
      else pg_get_partkeydef(relation.oid) || ', ' || parts.count || ' partitions'
    end
    from pg_class as relation, lateral (
      select count(*) as count, coalesce(bool_and(part.relkind = 'r' and pg_get_expr(part.relpartbound, part.oid)
        like format('FOR VALUES WITH (modulus %s,%%', (select count(*) from pg_inherits where inhparent = relation.oid))), false)
        as are_equal
      from pg_inherits join pg_class as part on part.oid = inhrelid
      where inhparent = relation.oid
    ) as parts
    where relation.oid = ${oid})`;
}

/** An expression for what a table must have in common with its replacement: its columns, checks and indexes. */
function shapeOf(oid: RawBuilder<number | null>): RawBuilder<string[]> {
  return sql<string[]>`array(
    select format('%s %s %s %s %s %s', attname, format_type(atttypid, atttypmod), attnotnull, attcollation, attgenerated,
      (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = attrelid and adnum = attnum))
    from pg_attribute where attrelid = ${oid} and attnum > 0 and not attisdropped
    union all
    select conname || ' ' || pg_get_expr(conbin, conrelid)
    from pg_constraint where conrelid = ${oid} and contype = 'c'
    union all
    select signature from ${indexesOf(oid)} as index
    order by 1)`;
}

/** A subquery for the indexes of a table, with a signature of each that does not contain its name. */
export function indexesOf(oid: RawBuilder<number | null>): RawBuilder<unknown> {
  return sql`(
    select relname as name, signature, row_number() over (partition by signature order by indexrelid) as nth
    from (
      select indexrelid, relation.relname, concat_ws(' ', am.amname, indisunique, indisprimary, indisexclusion, indnkeyatts,
        indclass::text, indcollation::text, indoption::text, pg_get_expr(indpred, indrelid), (
          select string_agg(pg_get_indexdef(indexrelid, nth, true), ',' order by nth) from generate_series(1, indnatts) as nth
        )) as signature
      from pg_index
      join pg_class as relation on relation.oid = indexrelid
      join pg_am as am on am.oid = relation.relam
      where indrelid = ${oid}
    ) as described)`;
}

/** A table that is partitioned, with its primary key in its order. */
export interface ConvertedTable {
  readonly name: "checkpoints" | "checkpoint_writes" | "checkpoint_blobs";
  readonly key: readonly KeyColumn[];
}

interface KeyColumn {
  readonly name: string;
  readonly type: "text" | "integer";
}

const NAMESPACE: readonly KeyColumn[] = [
  { name: "thread_id", type: "text" },
  { name: "checkpoint_ns", type: "text" },
];

/** The tables with rows of threads, in the order in which every writer locks them (C2). The few tombstones stay in one table. */
export const CONVERTED_TABLES: readonly ConvertedTable[] = [
  { name: "checkpoints", key: [...NAMESPACE, { name: "checkpoint_id", type: "text" }] },
  {
    name: "checkpoint_writes",
    key: [
      ...NAMESPACE,
      { name: "checkpoint_id", type: "text" },
      { name: "task_id", type: "text" },
      { name: "idx", type: "integer" },
    ],
  },
  {
    name: "checkpoint_blobs",
    key: [...NAMESPACE, { name: "channel", type: "text" }, { name: "version", type: "text" }],
  },
];

/** The table that replaces a table at the end of a conversion. */
export function nextName({ name }: ConvertedTable): string {
  return `${name}_next`;
}

/** The comment that distinguishes a replacement from a table of an application with the same name. */
export const REPLACEMENT_COMMENT =
  "langgraph-checkpoint-kysely: will replace the table when the conversion ends";

/** The trigger, and its function, that repeats each change of a table in the table that will replace it. */
export function mirrorName({ name }: ConvertedTable): string {
  return `${name}_mirror`;
}

/** The trigger that repeats TRUNCATE. */
export function truncateMirrorName(table: ConvertedTable): string {
  return `${mirrorName(table)}_truncate`;
}

/** The table that records how far a conversion is. It exists only until the conversion ends. */
export const PROGRESS_TABLE = "checkpoint_conversion";

/** How a table of savers is partitioned. */
export interface PartitionState extends Pick<TableState, "layout" | "next"> {
  readonly table: string;
  /**
   * Why some threads have no partition: remainders of a `hash` are missing, or a `list` or `range` has no default partition.
   * `undefined` if every thread has one.
   */
  readonly gap: "hash" | "other" | undefined;
}

/** Reads how the tables are partitioned. Reads only the catalog, which needs no privileges. */
export async function partitionState(db: Tables, schema: string): Promise<PartitionState[]> {
  const states: PartitionState[] = [];
  for (const { table, layout, next } of await readTables(db, schema)) {
    states.push({ table: table.name, layout, next, gap: await gapOf(db, schema, table.name) });
  }
  return states;
}

async function gapOf(db: Tables, schema: string, table: string): Promise<PartitionState["gap"]> {
  const { rows } = await sql<{ gap: PartitionState["gap"] | null }>`
    select case
      -- A hash partition holds one of as many parts as its modulus says.
      when partstrat = 'h' and (
        select coalesce(sum(1.0 / substring(pg_get_expr(relpartbound, oid) from 'modulus (\\d+)')::integer), 0)
        from pg_inherits join pg_class on oid = inhrelid where inhparent = partrelid
      ) < 0.999999 then 'hash'
      when partstrat <> 'h' and partdefid = 0 then 'other'
    end as "gap"
    from pg_partitioned_table where partrelid = ${oidOf(schema, table)}`.execute(db);
  return rows[0]?.gap ?? undefined;
}
