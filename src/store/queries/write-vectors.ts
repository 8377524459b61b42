import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { CURRENT_TIME } from "../../db/expiry.js";
import { type BoundStatement, type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { type ItemKey, type ManyKeys, manyKeys } from "./item-keys.js";
import { isHashValid } from "./vector-hashes.js";

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
  return statements.of(type).bind(schema, vectorParams(rows));
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

const statements = /* @__PURE__ */ new StatementFamily<"vector" | "halfvec", VectorParams, ItemKey>(
  (type) => (db, parameter) => insertVectors(db, parameter, type, sql<SqlBool>`true`),
);

/** The rows of {@link VectorParams}. */
export function givenVectors(parameter: Parameter<VectorParams>) {
  return sql<ItemKey & { readonly field_name: string }>`(
    select prefix, key, field_name, decode(hash, 'hex') as text_hash, vector from unnest(
      (select ${parameter("prefixes")}::text[]), (select ${parameter("keys")}::text[]),
      (select ${parameter("names")}::text[]), (select ${parameter("hashes")}::text[]),
      (select ${parameter("vectors")}::text[])
    ) as given(prefix, key, field_name, hash, vector)
  )`.as<"given">(sql`given`);
}

/** The vectors that are stored for the item and the text of a given row. */
export function storedForGiven(db: QueryCreator<LibraryDatabase>) {
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
export function insertVectors(
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
