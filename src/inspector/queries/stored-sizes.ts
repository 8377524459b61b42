import { sql, type RawBuilder } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { MAY_HAVE_SHARDS, shardStatistics } from "../../db/placement/shard-statistics.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { leavesOf } from "../../migrations/catalog-expressions.js";
import { Statement, StatementFamily } from "../../db/statements/statement.js";
import { fewGivenThreads, givenThread } from "../../retention/queries/per-namespace.js";
import {
  isOneThread,
  runPerThread,
  type ThreadNaming,
  type ThreadsParams,
} from "../../saver/queries/thread-groups.js";
import { storedSize } from "../../saver/queries/sent-row.js";
import { addedColumns, wholeBytesIn } from "../../db/added-columns.js";

/** A table with its size. */
interface TableSizeRow {
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
  const own = await runStatement(call, ownSizes, params);
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

const ownSizes = new Statement<SizeParams, OwnSizeRow>((db, parameter) =>
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

const shardSizes = new Statement<SizeParams, TableSizeRow>((db, parameter) =>
  db
    .selectFrom(shardStatistics(parameter("schema"), parameter("tables")).as("shards"))
    .select(["name", "rows", "table_bytes", "index_bytes"]),
);

/** The stored bytes of a thread: headers, metadata, values and writes. */
interface ThreadBytesRow {
  readonly thread_id: string;
  readonly bytes: number;
}

/** Measures threads. Postgres knows the size of a value without reading it. A thread without rows has the size 0. */
export function bytesOfThreads(call: CallContext, threadIds: readonly string[]): Promise<ThreadBytesRow[]> {
  return runPerThread(call, threadBytes, threadIds);
}

const threadBytes = new StatementFamily<ThreadNaming, ThreadsParams, ThreadBytesRow>(
  (naming) => (db, parameter) => {
    const threadId = givenThread(naming, parameter);
    return db
      .selectFrom(fewGivenThreads(parameter))
      .select("given.thread_id")
      .select((eb) => {
        const headers = eb
          .selectFrom("checkpoints as header")
          .where((row) => isOneThread(row.ref("header.thread_id"), threadId))
          .select(sumOf(storedSize("header.checkpoint"), storedSize("header.metadata")).as("bytes"));
        const values = eb
          .selectFrom("checkpoint_blobs as value")
          .where((row) => isOneThread(row.ref("value.thread_id"), threadId))
          .select(sumOf(storedSize("value.blob")).as("bytes"));
        const writes = eb
          .selectFrom("checkpoint_writes as write")
          .where((row) => isOneThread(row.ref("write.thread_id"), threadId))
          .select(sumOf(storedSize("write.blob")).as("bytes"));
        return sql<number>`(${headers}) + (${values}) + (${writes})`.as("bytes");
      });
  },
);

function sumOf(...sizesOfRow: readonly RawBuilder<number | null>[]): RawBuilder<number> {
  const parts = sizesOfRow.map((size) => sql`coalesce(${size}, 0)`);
  return sql<number>`coalesce(sum(${sql.join(parts, sql` + `)}), 0)::float8`;
}

/** The stored values of a channel in a namespace. */
interface ChannelSizeRow {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly versions: number;
  readonly splices: number;
  readonly stored_bytes: number;
  readonly whole_bytes: number;
}

interface ChannelParams {
  readonly threadId: string;
  readonly limit: number;
}

/** Measures the values of the channels of a thread, the largest first. It reads no value. */
export async function channelSizes(call: CallContext, params: ChannelParams): Promise<ChannelSizeRow[]> {
  const { splices: hasSplices } = await addedColumns(call);
  return runStatement(call, channels.of(hasSplices), params);
}

const channels = new StatementFamily<boolean, ChannelParams, ChannelSizeRow>(
  (hasSplices) => (db, parameter) =>
    db
      .selectFrom("checkpoint_blobs")
      .where("thread_id", "=", parameter("threadId"))
      .groupBy(["checkpoint_ns", "channel"])
      .select(["checkpoint_ns", "channel"])
      .select([
        sql<number>`count(*)::float8`.as("versions"),
        (hasSplices ? sql<number>`count(base)::float8` : sql<number>`0::float8`).as("splices"),
        sql<number>`coalesce(sum(${storedSize("blob")}), 0)::float8`.as("stored_bytes"),
        sql<number>`coalesce(sum(${wholeBytesIn("", hasSplices)}), 0)::float8`.as("whole_bytes"),
      ])
      .orderBy("stored_bytes", "desc")
      .orderBy("checkpoint_ns")
      .orderBy("channel")
      .limit(parameter("limit")),
);

/** A splice, and the version that it refers to. */
export interface SpliceRow {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
  readonly base: string;
}

/** Selects the splices of a thread in any order. It reads no value. */
export function spliceBases(call: CallContext, threadId: string): Promise<SpliceRow[]> {
  return runStatement(call, splices, { threadId });
}

const splices = new Statement<{ readonly threadId: string }, SpliceRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs")
    .where("thread_id", "=", parameter("threadId"))
    .where("base", "is not", null)
    .select(["checkpoint_ns", "channel", "version", sql<string>`base`.as("base")]),
);
