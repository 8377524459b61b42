import { sql } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import type { ItemKey } from "./item-keys.js";
import { withNextColumns } from "./next-columns.js";
import { isHashValid } from "./vector-hashes.js";
import { STORED, type VectorParams, vectorParams, type VectorRow } from "./write-vectors.js";

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
  return statements.of(type).bind(schema, {
    ...vectorParams(rows),
    // As text: an array of integers is sent as such.
    versions: rows.map(({ version }) => String(version)),
  });
}

interface Params extends VectorParams {
  readonly versions: readonly string[];
}

const statements = /* @__PURE__ */ new StatementFamily<"vector" | "halfvec", Params, ItemKey>(
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
