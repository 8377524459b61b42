import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { KeptVector } from "./drop-vectors.js";
import type { ItemKey } from "./get-items.js";
import { withNextColumns } from "./next-columns.js";

/** Empties the new columns of items, except those of some vectors. Searches still use the other columns. */
export function dropNextVectors(
  schema: string,
  items: readonly ItemKey[],
  kept: readonly KeptVector[],
): BoundStatement<ItemKey> {
  return statement.bind(schema, {
    prefixes: items.map(({ prefix }) => prefix),
    keys: items.map(({ key }) => key),
    keptPrefixes: kept.map(({ prefix }) => prefix),
    keptKeys: kept.map(({ key }) => key),
    keptNames: kept.map(({ fieldName }) => fieldName),
  });
}

interface Params {
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
  readonly keptPrefixes: readonly string[];
  readonly keptKeys: readonly string[];
  readonly keptNames: readonly string[];
}

const statement = /* @__PURE__ */ new Statement<Params, ItemKey>((db, parameter) =>
  withNextColumns(db)
    .updateTable("store_vectors")
    .from(
      sql<ItemKey>`unnest((select ${parameter("prefixes")}::text[]), (select ${parameter("keys")}::text[]))`.as<"item">(
        sql`item(prefix, key)`,
      ),
    )
    .set({ next_embedding: null, next_hash: null, next_version: null })
    .whereRef("store_vectors.prefix", "=", "item.prefix")
    .whereRef("store_vectors.key", "=", "item.key")
    .where("store_vectors.next_version", "is not", null)
    .where(
      sql<boolean>`not exists (
        select from unnest(
          ${parameter("keptPrefixes")}::text[], ${parameter("keptKeys")}::text[], ${parameter("keptNames")}::text[]
        ) as kept(prefix, key, field_name)
        where kept.prefix = store_vectors.prefix and kept.key = store_vectors.key
          and kept.field_name = store_vectors.field_name
      )`,
    )
    .returning(["store_vectors.prefix", "store_vectors.key"]),
);
