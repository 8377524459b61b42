import { sql, type Transaction } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { MigrationError } from "../errors/index.js";
import { distanceOfOperators, VECTOR_INDEX } from "./vector-index.js";
import type { VectorDistance, VectorLayout } from "./vector-layout.js";

/** The constraint of the items in Python's layout, by the name that Postgres gives it. */
const FOREIGN_KEY = "store_vectors_prefix_key_fkey";

/** An index of the embeddings. */
interface EmbeddingIndex {
  readonly name: string;
  readonly distance: VectorDistance;
  readonly kind: "hnsw" | "ivfflat";
}

type Db = Transaction<CheckpointDatabase>;

/**
 * Converts the embeddings of the official JavaScript store to Python's layout. The namespaces are converted together with those of the
 * items, between {@link dropItemReference} and {@link addItemReference}.
 *
 * @returns What the table is like: the dimensions, and the index that is kept.
 */
export async function convertVectors(db: Db, schema: string): Promise<VectorLayout> {
  const table = sql.id(schema, "store_vectors");
  const dims = await dimsOf(db, schema);
  const indexes = await embeddingIndexes(db, schema);
  await sql`alter table ${table} rename column namespace_path to prefix`.execute(db);
  await sql`alter table ${table} rename column field_path to field_name`.execute(db);
  await sql`alter table ${table} drop column text_content,
    alter column embedding drop not null,
    add column updated_at timestamptz default current_timestamp`.execute(db);
  // The texts of one path are numbered: `path[0]` there, `path.0` here.
  await sql`update ${table} set field_name = regexp_replace(field_name, '\\[(\\d+)\\]$', '.\\1'),
    updated_at = created_at`.execute(db);
  // Its searches always use this distance. The others serve none.
  const kept = indexes.find(({ distance }) => distance === "cosine") ?? indexes[0];
  for (const { name } of indexes.filter((index) => index !== kept))
    await sql`drop index ${sql.id(schema, name)}`.execute(db);
  if (kept === undefined) return { dims, index: { kind: "flat" } };
  await sql`alter index ${sql.id(schema, kept.name)} rename to ${sql.id(VECTOR_INDEX)}`.execute(db);
  return { dims, distance: kept.distance, index: { kind: kept.kind } };
}

/** Drops the references of embeddings to items, which don't allow that a namespace changes. */
export async function dropItemReference(db: Db, schema: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint
    where contype = 'f' and conrelid = to_regclass(format('%I.store_vectors', ${schema}::text))`.execute(db);
  for (const { name } of rows)
    await sql`alter table ${sql.id(schema, "store_vectors")} drop constraint ${sql.id(name)}`.execute(db);
}

/** Adds the reference of embeddings to items, as Python's store has it. */
export async function addItemReference(db: Db, schema: string): Promise<void> {
  await sql`alter table ${sql.id(schema, "store_vectors")} add constraint ${sql.id(FOREIGN_KEY)}
    foreign key (prefix, key) references ${sql.id(schema, "store")} (prefix, key) on delete cascade`.execute(
    db,
  );
}

async function dimsOf(db: Db, schema: string): Promise<number> {
  // pgvector stores the number of dimensions as the modifier of the type.
  const { rows } = await sql<{ dims: number }>`
    select atttypmod as dims from pg_attribute
    where attrelid = to_regclass(format('%I.store_vectors', ${schema}::text)) and attname = 'embedding'`.execute(
    db,
  );
  const dims = rows[0]?.dims ?? 0;
  if (dims > 0) return dims;
  throw new MigrationError('the column "embedding" of table "store_vectors" has no number of dimensions');
}

async function embeddingIndexes(db: Db, schema: string): Promise<EmbeddingIndex[]> {
  const { rows } = await sql<{ name: string; kind: "hnsw" | "ivfflat"; operators: string }>`
    select relname as name, amname as kind, opcname as operators
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    join pg_am on pg_am.oid = relam
    join pg_opclass on pg_opclass.oid = indclass[0]
    where indrelid = to_regclass(format('%I.store_vectors', ${schema}::text)) and amname in ('hnsw', 'ivfflat')
    order by relname`.execute(db);
  return rows.flatMap(({ name, kind, operators }) => {
    const distance = distanceOfOperators(operators);
    return distance === undefined ? [] : [{ name, kind, distance }];
  });
}
