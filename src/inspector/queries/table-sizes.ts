import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { MAY_HAVE_SHARDS, shardStatistics } from "../../db/placement/shard-statistics.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { leavesOf } from "../../migrations/catalog-expressions.js";
import { Statement } from "../../db/statements/statement.js";

/** A table with its size. */
export interface TableSizeRow {
  readonly name: string;
  readonly rows: number;
  readonly table_bytes: number;
  readonly index_bytes: number;
}

/** The tables of savers, stores and caches. */
const SIZED_TABLES: readonly (keyof LibraryDatabase)[] = [
  "checkpoints",
  "checkpoint_blobs",
  "checkpoint_writes",
  "checkpoint_tombstones",
  "store",
  "store_vectors",
  "cache_entries",
];

/** Reads the sizes of the tables that exist, the largest first. It reads the catalog and the sizes of files, but no rows. */
export async function tableSizes(call: CallContext): Promise<TableSizeRow[]> {
  const params = { schema: call.schema, tables: SIZED_TABLES };
  const own = await runStatement(call, sizes, params);
  if (own[0]?.may_have_shards !== true) return own;
  const ofShards = new Map((await runStatement(call, shardSizes, params)).map((row) => [row.name, row]));
  const bytes = (row: TableSizeRow): number => row.table_bytes + row.index_bytes;
  return own.map((row) => ofShards.get(row.name) ?? row).sort((a, b) => bytes(b) - bytes(a));
}

interface SizeParams {
  readonly schema: string;
  readonly tables: readonly string[];
}

interface OwnSizeRow extends TableSizeRow {
  readonly may_have_shards: boolean;
}

const sizes = /* @__PURE__ */ new Statement<SizeParams, OwnSizeRow>((db, parameter) =>
  db
    .selectFrom(
      sql<{
        oid: number;
        relname: string;
        relnamespace: number;
        relkind: string;
      }>`pg_catalog.pg_class`.as<"relation">(sql`relation`),
    )
    .innerJoin(
      sql<{ oid: number; nspname: string }>`pg_catalog.pg_namespace`.as<"namespace">(sql`namespace`),
      "namespace.oid",
      "relation.relnamespace",
    )
    .select(sql<string>`relation.relname::text`.as("name"))
    .innerJoinLateral(
      () => sql<{ oid: number }>`(${leavesOf(sql`relation.oid`)})`.as<"leaf">(sql`leaf (oid)`),
      (join) => join.onTrue(),
    )
    .innerJoin(
      sql<{ oid: number; reltuples: number }>`pg_catalog.pg_class`.as<"held">(sql`held`),
      "held.oid",
      "leaf.oid",
    )
    // Before the first ANALYZE only the statistics know how many rows there are.
    .select(
      sql<number>`sum(case when held.reltuples > 0 then held.reltuples
        else coalesce(pg_stat_get_live_tuples(held.oid), 0) end)::float8`.as("rows"),
    )
    // Null for a table that was dropped meanwhile.
    .select(sql<number>`coalesce(sum(pg_table_size(held.oid)), 0)::float8`.as("table_bytes"))
    .select(sql<number>`coalesce(sum(pg_indexes_size(held.oid)), 0)::float8`.as("index_bytes"))
    .select(MAY_HAVE_SHARDS.as("may_have_shards"))
    .where("namespace.nspname", "=", parameter("schema"))
    .where(sql<boolean>`relation.relname = any (${parameter("tables")}::text[])`)
    .where("relation.relkind", "in", [sql.lit("r"), sql.lit("p")])
    .groupBy("relation.relname")
    .orderBy(sql`sum(pg_total_relation_size(held.oid))`, (order) => order.desc().nullsLast()),
);

const shardSizes = /* @__PURE__ */ new Statement<SizeParams, TableSizeRow>((db, parameter) =>
  db
    .selectFrom(shardStatistics(parameter("schema"), parameter("tables")).as("shards"))
    .select(["name", "rows", "table_bytes", "index_bytes"]),
);
