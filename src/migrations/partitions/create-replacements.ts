import type { OpenTransaction } from "../in-locked-transaction.js";
import { sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { leavesOf, oidOf } from "../catalog-expressions.js";
import {
  type TableState,
  type ConvertedTable,
  mirrorName,
  nextName,
  PROGRESS_TABLE,
  REPLACEMENT_COMMENT,
} from "./conversion-state.js";
import { refuseDependents, partitionName, refuseTakenNames } from "./obstacles.js";
import { createMirror } from "./copy-rows.js";
import { type PartitionLayout, partitionsOf } from "./partition-layout.js";

/**
 * Creates the tables that will replace the present ones, and the triggers that keep them up to date from then on. Until the end of
 * the conversion only their owner may use them.
 *
 * @throws MigrationError if something depends on a table, so that it can't be replaced; or if others have the names of what is created.
 */
export async function createReplacements(
  db: OpenTransaction,
  schema: string,
  tables: readonly TableState[],
  layout: PartitionLayout,
): Promise<void> {
  await refuseDependents(db, schema, tables);
  await refuseTakenNames(db, schema, tables, layout);
  for (const { table } of tables) await createReplacement(db, schema, table, layout);
  await createProgress(db, schema, tables);
  // Each trigger waits for the writers that began before it, in the order in which they lock the tables (C2).
  for (const state of tables) {
    const { owner } = await readStorage(db, schema, state.table.name);
    await createMirror(db, schema, state);
    await sql`alter function ${sql.id(schema, mirrorName(state.table))}() owner to ${sql.id(owner)}`.execute(
      db,
    );
  }
}

async function createReplacement(
  db: OpenTransaction,
  schema: string,
  table: ConvertedTable,
  layout: PartitionLayout,
): Promise<void> {
  const { owner, tablespace, isUnlogged, options } = await readStorage(db, schema, table.name);
  const create = isUnlogged ? sql`create unlogged table` : sql`create table`;
  await sql`select set_config('default_tablespace', ${tablespace}, true)`.execute(db);
  const next = sql.id(schema, nextName(table));
  const columns = sql`(like ${sql.id(schema, table.name)} including all)`;
  const settings = options.map(({ names, value }) => sql`${sql.id(...names)} = ${sql.lit(value)}`);
  const storage = settings.length === 0 ? sql`` : sql`with (${sql.join(settings)})`;
  const count = partitionsOf(layout);
  if (count === 0) await sql`${create} ${next} ${columns} ${storage}`.execute(db);
  else await sql`create table ${next} ${columns} partition by hash (thread_id)`.execute(db);
  await sql`comment on table ${next} is ${sql.lit(REPLACEMENT_COMMENT)}`.execute(db);
  await ownAlone(db, schema, nextName(table), owner);
  for (let remainder = 0; remainder < count; remainder++) {
    const name = partitionName(table, count, remainder);
    await sql`${create} ${sql.id(schema, name)} partition of ${next}
      for values with (modulus ${sql.lit(count)}, remainder ${sql.lit(remainder)}) ${storage}`.execute(db);
    await ownAlone(db, schema, name, owner);
  }
}

async function createProgress(
  db: OpenTransaction,
  schema: string,
  tables: readonly TableState[],
): Promise<void> {
  await db
    .withSchema(schema)
    .schema.createTable(PROGRESS_TABLE)
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("phase", "text", (column) => column.notNull().defaultTo("copy"))
    .addColumn("last", sql`text[]`)
    .addColumn("rows", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  const { owner } = await readStorage(db, schema, "checkpoints");
  await ownAlone(db, schema, PROGRESS_TABLE, owner);
  const rows = sql.join(tables.map(({ table }) => sql`(${table.name}::text)`));
  await sql`insert into ${sql.id(schema, PROGRESS_TABLE)} (name) values ${rows}`.execute(db);
}

interface Storage {
  readonly owner: string;
  /** An empty name is the tablespace of the database. */
  readonly tablespace: string;
  /** Whether a crash of the server empties it. */
  readonly isUnlogged: boolean;
  /** The storage parameters of the table and of its TOAST table. */
  readonly options: readonly { readonly names: readonly string[]; readonly value: string }[];
}

async function readStorage(db: OpenTransaction, schema: string, table: string): Promise<Storage> {
  const oid = oidOf(schema, table);
  const { rows } = await sql<Omit<Storage, "options"> & { readonly options: string }>`
    select
      pg_get_userbyid(relation.relowner)::text as "owner",
      coalesce((select spcname::text from pg_tablespace where pg_tablespace.oid = leaf.reltablespace), '') as "tablespace",
      leaf.relpersistence = 'u' as "isUnlogged",
      (
        select coalesce(json_agg(json_build_object('names', names, 'value', value)), '[]')::text
        from (
          select array[option_name] as names, option_value as value from pg_options_to_table(leaf.reloptions)
          union all
          select array['toast', option_name], option_value
          from pg_class as long, pg_options_to_table(long.reloptions) where long.oid = leaf.reltoastrelid
        ) as options
      ) as "options"
    from pg_class as relation, pg_class as leaf
    where relation.oid = ${oid} and leaf.oid in (${leavesOf(oid)})
    order by leaf.oid limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new MigrationError(`table "${table}" does not exist`);
  return { ...row, options: JSON.parse(row.options) as Storage["options"] };
}

/** Gives a new table to its owner, and takes away the privileges that default privileges have given to others. */
async function ownAlone(db: OpenTransaction, schema: string, table: string, owner: string): Promise<void> {
  const name = sql.id(schema, table);
  await sql`alter table ${name} owner to ${sql.id(owner)}`.execute(db);
  const { rows } = await sql<{ grantee: string | null }>`
    select distinct case when entry.grantee <> 0 then pg_get_userbyid(entry.grantee)::text end as grantee
    from pg_class, aclexplode(relacl) as entry
    where oid = ${oidOf(schema, table)} and entry.grantee <> relowner`.execute(db);
  for (const { grantee } of rows) {
    await sql`revoke all on table ${name} from ${grantee === null ? sql`public` : sql.id(grantee)}`.execute(
      db,
    );
  }
}
