import type { Tables } from "../in-locked-transaction.js";
import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { plainKysely } from "../../db/kysely/plain-kysely.js";
import { TABLE_USE } from "../migration-set.js";

/**
 * Where the rows of a table are: on the nodes, by their thread (`distributed`); a copy on each node (`reference`); on the node of
 * their schema (`schema`, where each tenant has a schema); or on the server itself (`local`).
 *
 * @experimental
 */
export type TablePlacement = "distributed" | "reference" | "schema" | "local";

/**
 * How one table is distributed.
 *
 * @experimental
 */
export interface TableDistribution {
  readonly table: string;
  readonly placement: TablePlacement;
  /** The column by which rows are distributed. */
  readonly column: string | null;
  /** Tables with the same number have the rows of a thread on the same node. */
  readonly colocation: number | null;
  /** The number of shards. 0 for a local table. */
  readonly shards: number;
  /** The collation of `thread_id`. Citus keeps tables together only if it is the same. `null` without the column. */
  readonly collation: string | null;
}

/**
 * How the tables of a schema are distributed.
 *
 * @experimental
 */
export interface DistributionStatus {
  readonly schema: string;
  /** The version of the extension `citus` in this database; `null` without it. */
  readonly citus: string | null;
  /** Whether the server is the coordinator of its cluster. */
  readonly isCoordinator: boolean;
  /** The existing tables that {@link distributeTables} is about, by name. Empty without Citus. */
  readonly tables: readonly TableDistribution[];
}

/**
 * The options of {@link distributionStatus}.
 *
 * @experimental
 */
export interface DistributionStatusOptions {
  /** The schema that holds the tables. Default: `public`. */
  readonly schema?: string;
}

/** Tables of savers whose rows belong to threads, in the order in which writers lock their rows (C2). */
export const TABLES_OF_THREADS: readonly string[] = threadTables();

/** The tables that are distributed by `thread_id`, in the same order. The last one is optional. */
export const DISTRIBUTED_TABLES: readonly string[] = [...TABLES_OF_THREADS, "checkpoint_conversations"];

/** The tables that each node gets a copy of: the official savers read it wherever they are connected to. */
export const REFERENCE_TABLES: readonly string[] = ["checkpoint_migrations"];

function threadTables(): string[] {
  const lastOnes = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"];
  const names = Object.entries(TABLE_USE).flatMap(([name, [use, optional]]) =>
    use === "rows" && optional === undefined ? [name] : [],
  );
  return [...names.filter((name) => !lastOnes.includes(name)), ...lastOnes];
}

/**
 * Returns how Citus distributes the savers' tables of a schema. Only reads the catalog, which needs no privileges.
 *
 * @throws DatabaseError if the database can't be reached.
 *
 * @example
 * ```ts
 * const { tables } = await distributionStatus(db, { schema: "agents" });
 * console.log(tables.map(({ table, placement }) => `${table}: ${placement}`).join("\n"));
 * ```
 *
 * @experimental
 */
export async function distributionStatus(
  db: Kysely<CheckpointDatabase>,
  { schema = "public" }: DistributionStatusOptions = {},
): Promise<DistributionStatus> {
  const plain = plainKysely(db);
  try {
    const { rows } = await sql<{ version: string }>`
      select extversion as version from pg_catalog.pg_extension where extname = 'citus'`.execute(plain);
    const [extension] = rows;
    // The catalog of Citus is there only with it.
    if (extension === undefined) return { schema, citus: null, isCoordinator: false, tables: [] };
    const group = await sql<{ isCoordinator: boolean }>`
      select groupid = 0 as "isCoordinator" from pg_catalog.pg_dist_local_group`.execute(plain);
    const isCoordinator = group.rows[0]?.isCoordinator === true;
    return { schema, citus: extension.version, isCoordinator, tables: await readTables(plain, schema) };
  } catch (error) {
    throw toDatabaseError(error);
  }
}

async function readTables(db: Tables, schema: string): Promise<TableDistribution[]> {
  const names = sql.join([...DISTRIBUTED_TABLES, ...REFERENCE_TABLES]);
  const { rows } = await sql<TableDistribution>`
    select
      relation.relname as "table",
      case
        when part.partmethod = 'h' then 'distributed'
        when part.repmodel = 't' then 'reference'
        when part.partmethod = 'n' and part.colocationid <> 0 then 'schema'
        else 'local'
      end as "placement",
      -- Not in SQL that also runs for other tables: the function fails where there is no column.
      case when part.partmethod = 'h' then column_to_column_name(part.logicalrelid, part.partkey) end as "column",
      nullif(part.colocationid, 0)::integer as "colocation",
      (select count(*)::integer from pg_catalog.pg_dist_shard shard where shard.logicalrelid = relation.oid) as "shards",
      (
        select kept.collname from pg_catalog.pg_attribute attribute
        join pg_catalog.pg_collation kept on kept.oid = attribute.attcollation
        where attribute.attrelid = relation.oid and attribute.attname = 'thread_id'
      ) as "collation"
    from pg_catalog.pg_class relation
    join pg_catalog.pg_namespace namespace on namespace.oid = relation.relnamespace
    left join pg_catalog.pg_dist_partition part on part.logicalrelid = relation.oid
    where namespace.nspname = ${schema} and relation.relname in (${names}) and relation.relkind in ('r', 'p')
    order by relation.relname`.execute(db);
  return rows;
}
