import { type Expression, type RawBuilder, sql } from "kysely";

/** What the nodes of a Citus cluster know about the shards of one table, summed up. */
export interface ShardStatistics {
  readonly name: string;
  /** Of the last ANALYZE or VACUUM; where there was none, as many as the statistics count. */
  readonly rows: number;
  readonly live: number;
  readonly dead: number;
  readonly toast_live: number;
  readonly toast_dead: number;
  /** With TOAST. */
  readonly table_bytes: number;
  readonly toast_bytes: number;
  readonly index_bytes: number;
  /** When a shard was last vacuumed, in the ISO format; `null` if none was. */
  readonly vacuumed: string | null;
}

/** Whether tables may be in shards: the database has the extension `citus`, whose catalog and functions {@link shardStatistics} uses. */
export const MAY_HAVE_SHARDS: RawBuilder<boolean> = sql<boolean>`exists (
  select from pg_catalog.pg_extension where extname = 'citus')`;

/**
 * The statistics of tables whose rows Citus keeps in shards, as rows to select from. Other tables have no row. On the coordinator such a
 * table is empty, so its own statistics say nothing. A node that does not answer is left out. It fails without Citus.
 *
 * @param schema - The schema of the tables.
 * @param tables - Their names, as an array.
 */
export function shardStatistics(
  schema: Expression<string>,
  tables: Expression<readonly string[]>,
): RawBuilder<ShardStatistics> {
  const named = sql`
    select relation.relname::text as name, shard_name(shard.logicalrelid, shard.shardid) as shard
    from pg_catalog.pg_dist_shard as shard
    join pg_catalog.pg_class as relation on relation.oid = shard.logicalrelid
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    where namespace.nspname = ${schema} and relation.relname = any (${tables}::text[])`;
  return sql<ShardStatistics>`(
    with named as materialized (${named})
    select named.name, ${sql.join(SUMMED.map((sum) => sql`sum(measured.${sql.ref(sum)}) as ${sql.ref(sum)}`))},
      max(measured.vacuumed) as vacuumed
    from run_command_on_all_nodes(
      format(${sql.lit(MEASURE_SHARDS)}, (select array_agg(named.shard)::text from named))
    ) as answer
    cross join lateral json_to_recordset(case when answer.success then answer.result::json else '[]' end)
      as measured(shard text, ${sql.join(SUMMED.map((sum) => sql`${sql.ref(sum)} float8`))}, vacuumed text)
    join named using (shard)
    group by named.name
  )`;
}

const SUMMED = [
  ...["rows", "live", "dead", "toast_live", "toast_dead"],
  ...["table_bytes", "toast_bytes", "index_bytes"],
] as const;

/** What each node runs. `%L` is the array of all shards, of which a node finds its own. */
const MEASURE_SHARDS = `
  select coalesce(json_agg(measured), '[]') from (
    select
      shard.name as shard,
      case when own.reltuples > 0 then own.reltuples else coalesce(used.n_live_tup, 0) end as rows,
      coalesce(used.n_live_tup, 0) as live,
      coalesce(used.n_dead_tup, 0) as dead,
      coalesce(toast.n_live_tup, 0) as toast_live,
      coalesce(toast.n_dead_tup, 0) as toast_dead,
      coalesce(pg_table_size(own.oid), 0) as table_bytes,
      coalesce(pg_relation_size(nullif(own.reltoastrelid, 0)), 0) as toast_bytes,
      coalesce(pg_indexes_size(own.oid), 0) as index_bytes,
      to_char(greatest(used.last_vacuum, used.last_autovacuum) at time zone 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as vacuumed
    from unnest(%L::text[]) as shard(name)
    join pg_catalog.pg_class as own on own.oid = to_regclass(shard.name)
    left join pg_catalog.pg_stat_all_tables as used on used.relid = own.oid
    left join pg_catalog.pg_stat_all_tables as toast on toast.relid = own.reltoastrelid
  ) as measured`;
