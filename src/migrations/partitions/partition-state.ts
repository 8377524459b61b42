import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { oidOf } from "../catalog-expressions.js";
import { readTables, type TableState } from "./conversion-state.js";

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
export async function partitionState(
  db: Kysely<CheckpointDatabase>,
  schema: string,
): Promise<PartitionState[]> {
  const states: PartitionState[] = [];
  for (const { table, layout, next } of await readTables(db, schema)) {
    const gap = layout === "none" ? undefined : await gapOf(db, schema, table.name);
    states.push({ table: table.name, layout, next, gap });
  }
  return states;
}

async function gapOf(
  db: Kysely<CheckpointDatabase>,
  schema: string,
  table: string,
): Promise<PartitionState["gap"]> {
  const { rows } = await sql<{ isHash: boolean; share: number; hasDefault: boolean }>`
    select
      partstrat = 'h' as "isHash",
      partdefid <> 0 as "hasDefault",
      (
        -- A hash partition holds one of as many parts as its modulus says.
        select coalesce(sum(1.0 / substring(pg_get_expr(relpartbound, oid) from 'modulus (\\d+)')::integer), 0)::float8
        from pg_inherits join pg_class on oid = inhrelid where inhparent = partrelid
      ) as "share"
    from pg_partitioned_table where partrelid = ${oidOf(schema, table)}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  if (row.isHash) return row.share < 0.999_999 ? "hash" : undefined;
  return row.hasDefault ? undefined : "other";
}
