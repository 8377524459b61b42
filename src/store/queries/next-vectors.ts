import { type QueryCreator, sql, type RawBuilder, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { CURRENT_TIME, isAlive } from "../../db/expiry.js";
import { type BoundStatement, Statement, StatementFamily } from "../../db/statements/statement.js";
import { type ItemKey, type ManyKeys, manyKeys, wantedKeys } from "./item-rows.js";
import {
  isHashValid,
  isNotKept,
  keptParams,
  type KeptParams,
  type KeptVector,
  STORED,
  type VectorParams,
  vectorParams,
  type VectorRow,
} from "./stored-vectors.js";
import type { EmbeddingStateRow } from "./embedding-state.js";

/** The columns that `reembed()` adds for the time that it runs. */
interface NextColumns {
  readonly next_embedding: string | null;
  readonly next_hash: Uint8Array | null;
  /** The version of the item whose text it is. */
  readonly next_version: string | null;
}

type Vectors = LibraryDatabase["store_vectors"] & NextColumns;

/** The tables while `reembed()` runs. */
type NextDatabase = Omit<LibraryDatabase, "store_vectors"> & { readonly store_vectors: Vectors };

/** Queries the tables as they are while `reembed()` runs. */
function withNextColumns(db: QueryCreator<LibraryDatabase>): QueryCreator<NextDatabase> {
  return db;
}

/** A vector for the new columns. */
export interface NextVectorRow extends VectorRow {
  /** The version of the item whose text it is. */
  readonly version: number;
}

/** Stores vectors in the new columns, beside those that searches still use. */
export function writeNextVectors(
  schema: string,
  type: "vector" | "halfvec",
  rows: readonly NextVectorRow[],
): BoundStatement<ItemKey> {
  return nextWrites.of(type).bind(schema, {
    ...vectorParams(rows),
    // As text: an array of integers is sent as such.
    versions: rows.map(({ version }) => String(version)),
  });
}

interface NextParams extends VectorParams {
  readonly versions: readonly string[];
}

const nextWrites = new StatementFamily<"vector" | "halfvec", NextParams, ItemKey>(
  (type) => (tables, parameter) => {
    const db = withNextColumns(tables);
    const columnType = sql.raw(type);
    const given = sql<ItemKey & { readonly field_name: string }>`(
      select prefix, key, field_name, decode(hash, 'hex') as text_hash, vector, version::bigint from unnest(
        ${parameter("prefixes")}::text[], ${parameter("keys")}::text[], ${parameter("names")}::text[],
        ${parameter("hashes")}::text[], ${parameter("vectors")}::text[], ${parameter("versions")}::text[]
      ) as given(prefix, key, field_name, hash, vector, version)
    )`.as<"given">(sql`given`);
    const ofItem = db
      .selectFrom("store_vectors as stored")
      .where(sql<boolean>`stored.prefix = given.prefix and stored.key = given.key`)
      .limit(sql.lit(1));
    const next = ofItem
      .where(sql<boolean>`stored.next_hash = given.text_hash`)
      .select(sql<string>`stored.next_embedding`.as("embedding"));
    // Where only the type of the column changes.
    const converted = ofItem
      .where(sql<boolean>`stored.text_hash = given.text_hash`)
      .where(isHashValid("stored"))
      .where(sql<boolean>`stored.embedding is not null`)
      .select(sql<string>`stored.embedding::${columnType}`.as("embedding"));
    return db
      .insertInto("store_vectors")
      .columns([
        "prefix",
        "key",
        "field_name",
        "created_at",
        "updated_at",
        "next_embedding",
        "next_hash",
        "next_version",
      ])
      .expression((eb) =>
        eb.selectFrom(given).select([
          "given.prefix",
          "given.key",
          "given.field_name",
          CURRENT_TIME.as("created_at"),
          CURRENT_TIME.as("updated_at"),
          sql<string>`case given.vector when ${sql.lit(STORED)} then coalesce((${next}), (${converted}))
            else given.vector::${columnType} end`.as("next_embedding"),
          sql<Uint8Array>`given.text_hash`.as("next_hash"),
          sql<string>`given.version`.as("next_version"),
        ]),
      )
      .onConflict((conflict) =>
        conflict.columns(["prefix", "key", "field_name"]).doUpdateSet({
          // The equal times that follow mark the hash as valid, so a hash that is not valid is removed.
          text_hash: sql<Uint8Array>`case when ${isHashValid("store_vectors")} then store_vectors.text_hash end`,
          created_at: sql<Date>`excluded.created_at`,
          updated_at: sql<Date>`excluded.updated_at`,
          next_embedding: sql<string>`excluded.next_embedding`,
          next_hash: sql<Uint8Array>`excluded.next_hash`,
          next_version: sql<string>`excluded.next_version`,
        }),
      )
      .returning(["prefix", "key"]);
  },
);

/** Empties the new columns of items, except those of some vectors. Searches still use the other columns. */
export function dropNextVectors(
  schema: string,
  items: readonly ItemKey[],
  kept: readonly KeptVector[],
): BoundStatement<ItemKey> {
  return nextDrops.bind(schema, keptParams(items, kept));
}

const nextDrops = new Statement<KeptParams, ItemKey>((db, parameter) =>
  withNextColumns(db)
    .updateTable("store_vectors")
    .from(wantedKeys(parameter))
    .set({ next_embedding: null, next_hash: null, next_version: null })
    .whereRef("store_vectors.prefix", "=", "wanted.prefix")
    .whereRef("store_vectors.key", "=", "wanted.key")
    .where("store_vectors.next_version", "is not", null)
    .where(isNotKept(parameter))
    .returning(["store_vectors.prefix", "store_vectors.key"]),
);

/** A text that an item has a vector of. */
interface NextHashRow extends ItemKey {
  /** The hash of the text, in hexadecimal digits. */
  readonly hash: string;
}

/** Reads which texts some items have vectors of, in the new columns or in those that searches still use. */
export function nextHashes(schema: string, keys: readonly ItemKey[]): BoundStatement<NextHashRow> {
  return nextHashReads.bind(schema, manyKeys(keys));
}

const nextHashReads = new Statement<ManyKeys, NextHashRow>((db, parameter) =>
  db
    .selectFrom(wantedKeys(parameter))
    .innerJoin("store_vectors as vectors", (join) =>
      join.onRef("vectors.prefix", "=", "wanted.prefix").onRef("vectors.key", "=", "wanted.key"),
    )
    .crossJoinLateral(() =>
      sql<{ readonly hash: Uint8Array }>`(
        values (vectors.next_hash), (case when ${isHashValid("vectors")} and vectors.embedding is not null then vectors.text_hash end)
      )`.as<"known">(sql`known(hash)`),
    )
    .where(sql<boolean>`known.hash is not null`)
    .select(["vectors.prefix", "vectors.key"])
    .select(sql<string>`encode(known.hash, 'hex')`.as("hash")),
);

/** Reads for which model the new columns are, and their type. Their comment names the model. */
export function nextState(schema: string): BoundStatement<EmbeddingStateRow> {
  return nextStates.bind(schema, { schema });
}

const nextStates = new Statement<{ readonly schema: string }, EmbeddingStateRow>((db, parameter) => {
  const column = (value: string) => sql<string | null>`(
    select ${sql.raw(value)} from pg_catalog.pg_attribute
    where attrelid = to_regclass(format('%I.%I', ${parameter("schema")}::text, 'store_vectors'))
      and attname = 'next_embedding' and not attisdropped
  )`;
  return db.selectNoFrom([
    column("col_description(attrelid, attnum)").as("model"),
    column("format_type(atttypid, atttypmod)").as("column_type"),
  ]);
});

/** An item to embed again. */
export interface UnembeddedRow extends ItemKey {
  /** The value as JSON text. */
  readonly value: string;
  readonly version: string;
  /** The names of its vectors, as a JSON array. `null` if it has none. */
  readonly field_names: string | null;
}

/** Which items to select. */
interface UnembeddedQuery {
  /** Whether only items count that have no vectors in the new columns yet. */
  readonly rebuilds: boolean;
  /** The item before the first one. */
  readonly after: ItemKey | undefined;
  readonly limit: number;
}

/** Selects items to embed again, in the order of their keys. */
export function selectUnembedded(
  schema: string,
  { rebuilds, after, limit }: UnembeddedQuery,
): BoundStatement<UnembeddedRow> {
  // No item has an empty namespace.
  return selections.of(rebuilds).bind(schema, { prefix: after?.prefix ?? "", key: after?.key ?? "", limit });
}

/** Counts the items to embed again. */
export function countUnembedded(
  schema: string,
  rebuilds: boolean,
): BoundStatement<{ readonly items: number }> {
  return counts.of(rebuilds).bind(schema, {});
}

type UnembeddedParams = ItemKey & { readonly limit: number };

const selections = new StatementFamily<boolean, UnembeddedParams, UnembeddedRow>(
  (rebuilds) => (db, parameter) => {
    const names = vectorsOfItem(db).select(sql`json_agg(vectors.field_name)::text`.as("names"));
    return db
      .selectFrom("store")
      .where(isUnembedded(db, rebuilds))
      .where(sql<boolean>`(store.prefix, store.key) > (${parameter("prefix")}, ${parameter("key")})`)
      .orderBy("store.prefix")
      .orderBy("store.key")
      .limit(parameter("limit"))
      .select(["store.prefix", "store.key"])
      .select([
        sql<string>`store.value::text`.as("value"),
        sql<string>`store.version::text`.as("version"),
        sql<string | null>`(${names})`.as("field_names"),
      ]);
  },
);

const counts = new StatementFamily<boolean, object, { readonly items: number }>(
  (rebuilds) => (db) =>
    db
      .selectFrom("store")
      .where(isUnembedded(db, rebuilds))
      .select(sql<number>`count(*)::float8`.as("items")),
);

function isUnembedded(db: QueryCreator<LibraryDatabase>, rebuilds: boolean): RawBuilder<SqlBool> {
  if (!rebuilds) return isAlive("store");
  const embedded = vectorsOfItem(db)
    .where(sql<boolean>`vectors.next_version = store.version`)
    .select("vectors.key");
  return sql<SqlBool>`${isAlive("store")} and not exists (${embedded})`;
}

function vectorsOfItem(db: QueryCreator<LibraryDatabase>) {
  return db
    .selectFrom("store_vectors as vectors")
    .where(sql<boolean>`vectors.prefix = store.prefix and vectors.key = store.key`);
}
