import type { Tables } from "../in-locked-transaction.js";
import { type RawBuilder, sql } from "kysely";
import { oidOf } from "../catalog-expressions.js";
import type { IndexDefinition, WantedIndex } from "./optional-index.js";

/** A table, or a partition of it, with its part of an index. */
interface IndexPart {
  readonly schema: string;
  readonly table: string;
  /** Whether it holds rows. Otherwise it has partitions. */
  readonly isLeaf: boolean;
  /** The index, named after the oid of the partition: names of partitions may be as long as a name can be. */
  readonly index: string;
  readonly state: "missing" | "invalid" | "valid";
  /** The index that it belongs to. `undefined` for that of the table. */
  readonly parent: string | undefined;
  readonly isAttached: boolean;
}

/**
 * Lists the statements that create what is missing of an index of a partitioned table, without blocking writers: Postgres can't create
 * it `concurrently`, but it can create that of each partition so. The index of the table is valid when all of them are attached.
 *
 * @returns `undefined` if the table is not partitioned. Each statement must run on its own, outside a transaction.
 */
export async function partitionedIndexStatements(
  db: Tables,
  schema: string,
  { index, language }: WantedIndex,
): Promise<readonly RawBuilder<unknown>[] | undefined> {
  const parts = await readParts(db, schema, index);
  if (parts.length === 0) return undefined;
  const on = index.on(language);
  const created = parts.flatMap((part): RawBuilder<unknown>[] => {
    const place = sql`${sql.id(part.index)} on`;
    const table = sql.id(part.schema, part.table);
    if (!part.isLeaf) return part.state === "missing" ? [sql`create index ${place} only ${table} ${on}`] : [];
    if (part.state === "valid") return [];
    const drop =
      part.state === "invalid" ? [sql`drop index concurrently ${sql.id(part.schema, part.index)}`] : [];
    return [...drop, sql`create index concurrently ${place} ${table} ${on}`];
  });
  // From the partitions up, because an index is attached to an existing one.
  const attached = parts
    .toReversed()
    .flatMap(({ schema: own, index: name, parent, isAttached }) =>
      parent === undefined || isAttached
        ? []
        : [
            sql`alter index ${sql.id(parentSchema(parts, parent, schema), parent)} attach partition ${sql.id(own, name)}`,
          ],
    );
  return [...created, ...attached];
}

/** Lists the statements that drop an index of a partitioned table, and what an interrupted attempt has left. `undefined` as above. */
export async function partitionedIndexDrops(
  db: Tables,
  schema: string,
  index: IndexDefinition,
): Promise<readonly RawBuilder<unknown>[] | undefined> {
  const parts = await readParts(db, schema, index);
  if (parts.length === 0) return undefined;
  // That of the table first: what is attached to it goes with it.
  return parts.map((part) => sql`drop index if exists ${sql.id(part.schema, part.index)}`);
}

function parentSchema(parts: readonly IndexPart[], parent: string, schema: string): string {
  return parts.find(({ index }) => index === parent)?.schema ?? schema;
}

/** The parts of an index, that of the table first. Empty if the table is not partitioned. */
async function readParts(
  db: Tables,
  schema: string,
  { name, table }: IndexDefinition,
): Promise<readonly IndexPart[]> {
  const root = oidOf(schema, table);
  const nameOf = (level: RawBuilder<number>, oid: RawBuilder<number>) =>
    sql<string>`case when ${level} = 0 then ${name}::text else ${name}::text || '_' || ${oid} end`;
  const { rows } = await sql<Omit<IndexPart, "parent"> & { parent: string | null }>`
    with part as (
      select tree.level, tree.isleaf, relation.relname, namespace.nspname, tree.relid::oid as oid,
        -- Partitions that were created later have an index of a name of their own.
        coalesce(attached.relname::text, ${nameOf(sql`tree.level`, sql`tree.relid::oid`)}) as name,
        case when tree.level > 0 then ${nameOf(sql`tree.level - 1`, sql`tree.parentrelid::oid`)} end as parent,
        attached.oid is not null as is_attached
      from pg_partition_tree((${root})::regclass) as tree
      join pg_class as relation on relation.oid = tree.relid
      join pg_namespace as namespace on namespace.oid = relation.relnamespace
      left join lateral (
        select child.oid, child.relname
        from pg_inherits join pg_index as own on own.indexrelid = inhrelid join pg_class as child on child.oid = inhrelid
        join pg_class as above on above.oid = inhparent
        where own.indrelid = tree.relid
          and above.relname = ${nameOf(sql`tree.level - 1`, sql`tree.parentrelid::oid`)}
      ) as attached on true
    )
    select nspname as "schema", part.relname as "table", isleaf as "isLeaf", name as "index", parent as "parent",
      is_attached as "isAttached",
      case when pg_index.indexrelid is null then 'missing' when indisvalid and indisready then 'valid' else 'invalid' end as "state"
    from part
    left join pg_index on indrelid = part.oid and indexrelid = to_regclass(format('%I.%I', nspname, name))
    where not exists (select from part as whole where whole.level = 0 and whole.isleaf)
    order by level, part.relname`.execute(db);
  return rows.map(({ parent, ...part }) => ({ ...part, parent: parent ?? undefined }));
}
