import {
  type OpenTransaction,
  DEFAULT_LOCK_TIMEOUT_MS,
  inLockedTransaction,
  withRowSecurityOff,
} from "./in-locked-transaction.js";
import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { plainKysely } from "../db/kysely/plain-kysely.js";
import { MigrationError } from "../errors/index.js";
import {
  conversionFailed,
  countRowsOfTables,
  lockTables,
  presentTables,
  requireAllRows,
} from "./conversion.js";
import { findIncompatibleTables } from "./incompatible-tables.js";
import { type MigrateOptions, migrateToLatest } from "./migrate.js";
import type { OptionalTables } from "./migration-set.js";
import { optionalSets } from "./sets.js";
import {
  type VectorLayout,
  distanceOfOperators,
  VECTOR_INDEX,
  type VectorDistance,
} from "./vector-layout.js";

/** The result of converting the tables of the official JavaScript store. */
export interface StoreConversion {
  /** The number of items, the same as before. */
  readonly items: number;
  /** The number of embeddings, the same as before. */
  readonly embeddings: number;
  /** The migration steps that ran after the conversion, oldest first. */
  readonly applied: readonly string[];
}

/** In the order in which every writer locks them. */
const TABLES = ["store", "store_vectors"] as const;

/** The indexes that the conversion drops. Those of this library serve the same queries, and more. */
const SUPERSEDED_INDEXES = ["idx_store_namespace_path", "idx_store_value_gin"];

const TRIGGER = "update_store_updated_at";
const TRIGGER_FUNCTION = "update_updated_at_column";

/** How many namespaces that can't be converted are named. */
const MAX_NAMED = 10;

/**
 * Converts the tables of the official JavaScript `PostgresStore` to those of this library and Python's `PostgresStore`, and migrates them to
 * the newest version. Items keep their values, times and expiry, and embeddings stay. The conversion runs in one transaction: if it
 * fails, nothing is changed.
 *
 * Stop the services that use the tables first: the conversion locks and rewrites them, and the official store can't use them
 * afterwards.
 *
 * That store joins the labels of a namespace by colons, this library by periods. So it refuses a label that contains a period. A label that
 * contained a colon has always been read as two labels there, and stays so.
 *
 * The own TTL of an item is unknown there, so a read does not start the time of such an item again. Its embeddings have no hash of their
 * texts, so the next write of the item makes them again.
 *
 * @param db - A Kysely on the database, or a transaction, which the caller then commits.
 * @param options - Also the optional tables to create. The layout of existing embeddings is read from their table.
 * @returns The number of rows after the conversion.
 * @throws IncompatibleTablesError if a table with the name of the store belongs to no LangGraph store.
 * @throws MigrationError if the schema has no tables of the official store, if the labels of some namespaces contain a period or are empty,
 *   which it names, or if a statement fails.
 * @throws PermissionError if the role may not change the tables.
 *
 * @example
 * ```ts
 * const { items, embeddings } = await convertStoreTables(db, { schema: "agents" });
 * ```
 */
export async function convertStoreTables(
  db: Kysely<CheckpointDatabase>,
  options: MigrateOptions = {},
): Promise<StoreConversion> {
  const { schema = "public", lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = options;
  return inLockedTransaction(plainKysely(db), schema, lockTimeoutMs, (transaction) =>
    withRowSecurityOff(transaction, async () => {
      await requireOfficialTables(transaction, schema);
      const { vectors, ...rows } = await convert(transaction, schema).catch((reason: unknown) => {
        throw conversionFailed(reason);
      });
      const found: readonly OptionalTables[] = vectors === undefined ? ["store"] : ["store", "vectors"];
      const applied = await migrateToLatest(transaction, {
        ...options,
        with: [...(options.with ?? []), ...found],
        vectors: vectors ?? options.vectors,
      });
      return { ...rows, applied };
    }),
  );
}

async function requireOfficialTables(db: OpenTransaction, schema: string): Promise<void> {
  const found = await findIncompatibleTables(db, schema, optionalSets().store);
  if (found === undefined) {
    throw new MigrationError(
      `schema "${schema}" has no tables of the official JavaScript PostgresStore: there is nothing to convert`,
    );
  }
  if (found.layout !== "javascript-store") throw found;
}

interface Converted extends Omit<StoreConversion, "applied"> {
  /** What the embeddings are like. `undefined` if there is no table of them. */
  readonly vectors: VectorLayout | undefined;
}

async function convert(db: OpenTransaction, schema: string): Promise<Converted> {
  const tables = await presentTables(db, schema, TABLES);
  await lockTables(db, schema, tables);
  await requireExactNamespaces(db, schema);
  const before = await countRowsOfTables(db, schema, tables);
  const hasVectors = tables.includes("store_vectors");
  if (hasVectors) await dropItemReference(db, schema);
  await convertItems(db, schema);
  const vectors = hasVectors ? await convertVectors(db, schema) : undefined;
  for (const table of tables) {
    await sql`update ${sql.id(schema, table)} set prefix = replace(prefix, ':', '.')
      where prefix like '%:%'`.execute(db);
  }
  if (hasVectors) await addItemReference(db, schema);
  // The steps record what they do for Python's store, whose versions are others.
  await sql`delete from ${sql.id(schema, "store_migrations")}`.execute(db);
  const after = await countRowsOfTables(db, schema, tables);
  requireAllRows(before, after);
  return { items: after.store ?? 0, embeddings: after.store_vectors ?? 0, vectors };
}

/** @throws MigrationError naming namespaces that would become others, or that no store could use. */
async function requireExactNamespaces(db: OpenTransaction, schema: string): Promise<void> {
  const { rows } = await sql<{ path: string }>`
    select distinct namespace_path as path from ${sql.id(schema, "store")}
    where namespace_path like '%.%' or namespace_path = '' or namespace_path ~ '^:|::|:$'
    order by 1 limit ${MAX_NAMED + 1}`.execute(db);
  if (rows.length === 0) return;
  const named = rows.slice(0, MAX_NAMED).map(({ path }) => JSON.stringify(path));
  const others = rows.length > MAX_NAMED ? " and others" : "";
  throw new MigrationError(
    `the namespaces ${named.join(", ")}${others} have a label that is empty or contains a period, which joins labels here: ` +
      "give their items other namespaces first",
  );
}

async function convertItems(db: OpenTransaction, schema: string): Promise<void> {
  const table = sql.id(schema, "store");
  // First, since it would change the times of all items.
  await sql`drop trigger if exists ${sql.id(TRIGGER)} on ${table}`.execute(db);
  await dropUnusedFunction(db, schema);
  for (const index of SUPERSEDED_INDEXES)
    await sql`drop index if exists ${sql.id(schema, index)}`.execute(db);
  await sql`alter table ${table} rename column namespace_path to prefix`.execute(db);
}

/** Its name is a common one: triggers of the application may use it, or another role may own it. */
async function dropUnusedFunction(db: OpenTransaction, schema: string): Promise<void> {
  const { rows } = await sql`
    select from pg_proc
    where oid = to_regproc(format('%I.%I', ${schema}::text, ${TRIGGER_FUNCTION}::text))
      and pg_has_role(proowner, 'usage')
      and not exists (select from pg_depend where refclassid = 'pg_proc'::regclass and refobjid = pg_proc.oid)`.execute(
    db,
  );
  if (rows.length > 0) await sql`drop function ${sql.id(schema, TRIGGER_FUNCTION)}()`.execute(db);
}

/** The constraint of the items in Python's layout, by the name that Postgres gives it. */
const FOREIGN_KEY = "store_vectors_prefix_key_fkey";

/** An index of the embeddings. */
interface EmbeddingIndex {
  readonly name: string;
  readonly distance: VectorDistance;
  readonly kind: "hnsw" | "ivfflat";
}

/**
 * Converts the embeddings of the official JavaScript store to Python's layout. The namespaces are converted together with those of the
 * items, between {@link dropItemReference} and {@link addItemReference}.
 *
 * @returns What the table is like: the dimensions, and the index that is kept.
 */
async function convertVectors(db: OpenTransaction, schema: string): Promise<VectorLayout> {
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
async function dropItemReference(db: OpenTransaction, schema: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint
    where contype = 'f' and conrelid = to_regclass(format('%I.store_vectors', ${schema}::text))`.execute(db);
  for (const { name } of rows)
    await sql`alter table ${sql.id(schema, "store_vectors")} drop constraint ${sql.id(name)}`.execute(db);
}

/** Adds the reference of embeddings to items, as Python's store has it. */
async function addItemReference(db: OpenTransaction, schema: string): Promise<void> {
  await sql`alter table ${sql.id(schema, "store_vectors")} add constraint ${sql.id(FOREIGN_KEY)}
    foreign key (prefix, key) references ${sql.id(schema, "store")} (prefix, key) on delete cascade`.execute(
    db,
  );
}

async function dimsOf(db: OpenTransaction, schema: string): Promise<number> {
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

async function embeddingIndexes(db: OpenTransaction, schema: string): Promise<EmbeddingIndex[]> {
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
