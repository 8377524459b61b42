import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { CURRENT_TIME } from "../../db/expiry.js";
import {
  type BoundStatement,
  type Parameter,
  Statement,
  StatementFamily,
} from "../../db/statements/statement.js";
import { type ItemKey, type ManyKeys, manyKeys, wantedKeys } from "./item-rows.js";
import { refuse } from "./embedding-state.js";

/** A vector to store. */
export interface VectorRow extends ItemKey {
  readonly fieldName: string;
  /** The hash of the text, in hexadecimal digits. `null` without a text. */
  readonly hash: string | null;
  /** The vector as text; `null` for none; {@link STORED} where the item has it already, under another name. */
  readonly vector: string | null;
}

/** Stands for the stored vector of the same text. */
export const STORED = "stored";

/** Stores vectors of items, and replaces those with the same names. */
export function writeVectors(
  schema: string,
  type: "vector" | "halfvec",
  rows: readonly VectorRow[],
): BoundStatement<ItemKey> {
  return writes.of(type).bind(schema, vectorParams(rows));
}

/** Vectors to store, as arrays of their columns. */
export interface VectorParams extends ManyKeys {
  readonly names: readonly string[];
  readonly hashes: readonly (string | null)[];
  readonly vectors: readonly (string | null)[];
}

/** Returns the parameters of a statement that stores vectors. */
export function vectorParams(rows: readonly VectorRow[]): VectorParams {
  return {
    ...manyKeys(rows),
    names: rows.map(({ fieldName }) => fieldName),
    hashes: rows.map(({ hash }) => hash),
    vectors: rows.map(({ vector }) => vector),
  };
}

const writes = new StatementFamily<"vector" | "halfvec", VectorParams, ItemKey>(
  (type) => (db, parameter) => insertVectors(db, parameter, type, sql<SqlBool>`true`),
);

/** The rows of {@link VectorParams}. */
function givenVectors(parameter: Parameter<VectorParams>) {
  return sql<ItemKey & { readonly field_name: string }>`(
    select prefix, key, field_name, decode(hash, 'hex') as text_hash, vector from unnest(
      (select ${parameter("prefixes")}::text[]), (select ${parameter("keys")}::text[]),
      (select ${parameter("names")}::text[]), (select ${parameter("hashes")}::text[]),
      (select ${parameter("vectors")}::text[])
    ) as given(prefix, key, field_name, hash, vector)
  )`.as<"given">(sql`given`);
}

/** The vectors that are stored for the item and the text of a given row. */
function storedForGiven(db: QueryCreator<LibraryDatabase>) {
  return db
    .selectFrom("store_vectors as stored")
    .where(
      sql<boolean>`stored.prefix = given.prefix and stored.key = given.key and stored.text_hash = given.text_hash`,
    )
    .where(isHashValid("stored"));
}

/**
 * Stores the given vectors that fulfil a condition.
 *
 * @param wanted - About a row of `given`.
 */
function insertVectors(
  db: QueryCreator<LibraryDatabase>,
  parameter: Parameter<VectorParams>,
  type: "vector" | "halfvec",
  wanted: RawBuilder<SqlBool>,
) {
  const stored = storedForGiven(db).limit(1).select("stored.embedding");
  return db
    .insertInto("store_vectors")
    .columns(["prefix", "key", "field_name", "embedding", "text_hash", "created_at", "updated_at"])
    .expression((eb) =>
      eb
        .selectFrom(givenVectors(parameter))
        .where(wanted)
        .select([
          "given.prefix",
          "given.key",
          "given.field_name",
          sql<string>`case given.vector when ${sql.lit(STORED)} then (${stored}) else given.vector::${sql.raw(type)} end`.as(
            "embedding",
          ),
          sql<Uint8Array>`given.text_hash`.as("text_hash"),
          CURRENT_TIME.as("created_at"),
          CURRENT_TIME.as("updated_at"),
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(["prefix", "key", "field_name"]).doUpdateSet({
        embedding: sql<string>`excluded.embedding`,
        text_hash: sql<Uint8Array>`excluded.text_hash`,
        created_at: sql<Date>`excluded.created_at`,
        updated_at: sql<Date>`excluded.updated_at`,
      }),
    )
    .returning(["prefix", "key"]);
}

/** Stands for the vector of the same text that the item has under the same name. */
export const IN_PLACE = "in place";

/**
 * Replaces all vectors of items, which the transaction has locked by a statement before. It fails where the vectors that it relies on are
 * no longer stored: those that are {@link IN_PLACE} or {@link STORED}.
 *
 * @param rows - All vectors that the items should have.
 */
export function replaceVectors(
  schema: string,
  type: "vector" | "halfvec",
  items: readonly ItemKey[],
  rows: readonly VectorRow[],
): BoundStatement<ItemKey> {
  const { prefixes: itemPrefixes, keys: itemKeys } = manyKeys(items);
  return replacements.of(type).bind(schema, { ...vectorParams(rows), itemPrefixes, itemKeys });
}

interface ReplaceParams extends VectorParams {
  readonly itemPrefixes: readonly string[];
  readonly itemKeys: readonly string[];
}

/** The parameters by which the rows to delete are found. */
const KEPT = {
  prefixes: "itemPrefixes",
  keys: "itemKeys",
  keptPrefixes: "prefixes",
  keptKeys: "keys",
  keptNames: "names",
} as const;

const replacements = new StatementFamily<"vector" | "halfvec", ReplaceParams, ItemKey>(
  (type) => (db, parameter) =>
    db
      .with(
        (cte) => cte("relied").materialized(),
        (qb) => {
          const stored = storedForGiven(qb)
            .where(sql<SqlBool>`(given.vector = ${sql.lit(STORED)} or stored.field_name = given.field_name)`)
            .select("stored.key");
          const missing = qb
            .selectFrom(givenVectors(parameter))
            .where(sql<SqlBool>`given.vector in (${sql.lit(IN_PLACE)}, ${sql.lit(STORED)})`)
            .where(sql<SqlBool>`not exists (${stored})`)
            .select("given.key");
          const areStored = refuse(
            sql`not exists (${missing})`,
            "another call has replaced vectors of the same item",
          );
          return qb.selectNoFrom(areStored.as("are_stored"));
        },
      )
      .with("dropped", (qb) => deleteUnkept(qb, (name) => parameter(KEPT[name])))
      .with("written", (qb) =>
        insertVectors(
          qb,
          parameter,
          type,
          sql<SqlBool>`(select are_stored from relied) and given.vector is distinct from ${sql.lit(IN_PLACE)}`,
        ),
      )
      .selectFrom("written")
      .select(["written.prefix", "written.key"]),
);

/** Deletes the vectors of items, except some. */
export function dropVectors(
  schema: string,
  items: readonly ItemKey[],
  kept: readonly KeptVector[],
): BoundStatement<ItemKey> {
  return drops.bind(schema, keptParams(items, kept));
}

const drops = new Statement<KeptParams, ItemKey>(deleteUnkept);

/** Deletes the rows of items that are not among those that stay. */
function deleteUnkept(db: QueryCreator<LibraryDatabase>, parameter: Parameter<KeptParams>) {
  return db
    .deleteFrom("store_vectors")
    .using(wantedKeys(parameter))
    .whereRef("store_vectors.prefix", "=", "wanted.prefix")
    .whereRef("store_vectors.key", "=", "wanted.key")
    .where(isNotKept(parameter))
    .returning(["store_vectors.prefix", "store_vectors.key"]);
}

/** A vector that stays. */
export interface KeptVector extends ItemKey {
  readonly fieldName: string;
}

/** The parameters of a statement about the vectors of items, except some. */
export interface KeptParams extends ManyKeys {
  readonly keptPrefixes: readonly string[];
  readonly keptKeys: readonly string[];
  readonly keptNames: readonly string[];
}

/** Returns the parameters of a statement about the vectors of items, except some. */
export function keptParams(items: readonly ItemKey[], kept: readonly KeptVector[]): KeptParams {
  const { prefixes: keptPrefixes, keys: keptKeys } = manyKeys(kept);
  return { ...manyKeys(items), keptPrefixes, keptKeys, keptNames: kept.map(({ fieldName }) => fieldName) };
}

/** Whether a row of `store_vectors` is not among the vectors that stay. */
export function isNotKept(parameter: Parameter<KeptParams>): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (
    select from unnest(
      (select ${parameter("keptPrefixes")}::text[]), (select ${parameter("keptKeys")}::text[]),
      (select ${parameter("keptNames")}::text[])
    ) as kept(prefix, key, field_name)
    where kept.prefix = store_vectors.prefix and kept.key = store_vectors.key
      and kept.field_name = store_vectors.field_name
  )`;
}

/** A vector of an item, with the hash of its text. */
export interface VectorHashRow extends ItemKey {
  readonly field_name: string;
  /** In hexadecimal digits. `null` where it is not known. */
  readonly hash: string | null;
}

/** Reads which texts the vectors of some items are of. */
export function vectorHashes(schema: string, keys: readonly ItemKey[]): BoundStatement<VectorHashRow> {
  return hashReads.bind(schema, manyKeys(keys));
}

/**
 * Whether the hash of a row belongs to its vector. Python's store replaces a vector without its hash, but sets the time of the update,
 * which is otherwise that of the creation.
 */
export function isHashValid(alias: string): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<SqlBool>`${column("created_at")} = ${column("updated_at")}`;
}

const hashReads = new Statement<ManyKeys, VectorHashRow>((db, parameter) =>
  db
    .selectFrom(wantedKeys(parameter))
    .innerJoin("store_vectors", (join) =>
      join.onRef("store_vectors.prefix", "=", "wanted.prefix").onRef("store_vectors.key", "=", "wanted.key"),
    )
    .select(["store_vectors.prefix", "store_vectors.key", "store_vectors.field_name"])
    .select(
      sql<
        string | null
      >`case when ${isHashValid("store_vectors")} then encode(store_vectors.text_hash, 'hex') end`.as("hash"),
    ),
);
