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
    states.push({ table: table.name, layout, next, gap: await gapOf(db, schema, table.name) });
  }
  return states;
}

async function gapOf(
  db: Kysely<CheckpointDatabase>,
  schema: string,
  table: string,
): Promise<PartitionState["gap"]> {
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
