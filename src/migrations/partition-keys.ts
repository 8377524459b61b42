import { type RawBuilder, sql } from "kysely";
import { IncompatibleTablesError } from "../errors/index.js";
import { oidOf } from "./catalog-expressions.js";
import type { MigrationSet } from "./migration-set.js";

/** An expression for the tables, or partitions of them, that are partitioned by another key than the set allows, each with its key. */
export function otherPartitionKeys(
  schema: string,
  { tables: shapes, partitionKey }: MigrationSet,
): RawBuilder<string[]> {
  if (partitionKey === undefined) return sql<string[]>`'{}'::text[]`;
  const tables = sql.join(Object.keys(shapes).map((name) => oidOf(schema, name)));
  return sql<string[]>`array(
    select format('"%s" by %s', pg_class.relname, pg_get_partkeydef(partrelid))
    from unnest(array[${tables}]::oid[]) as tables (root)
    cross join lateral pg_partition_tree(root) as tree
    join pg_partitioned_table on partrelid = tree.relid
    join pg_class on pg_class.oid = partrelid
    left join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
    where partnatts > 1 or attname is distinct from ${partitionKey}
    order by 1)`;
}

/**
 * Refuses partitions by another key: a call names its thread, so Postgres would look into every partition for it.
 *
 * @param keys - The tables that {@link otherPartitionKeys} returned.
 */
export function refusalOfKeys(
  schema: string,
  { partitionKey = "" }: MigrationSet,
  keys: readonly string[],
): IncompatibleTablesError | undefined {
  if (keys.length === 0) return undefined;
  return new IncompatibleTablesError(
    schema,
    "partitions",
    `schema "${schema}" has partitioned ${keys.join(", ")}: every call names a thread, so each one would search all partitions. ` +
      `Partition the tables by ${partitionKey} alone`,
  );
}
