import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { isAlive } from "../../db/expiry.js";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import type { ItemKey } from "./item-keys.js";

/** An item to embed again. */
export interface UnembeddedRow extends ItemKey {
  /** The value as JSON text. */
  readonly value: string;
  readonly version: string;
  /** The names of its vectors, as a JSON array. `null` if it has none. */
  readonly field_names: string | null;
}

/** Which items to select. */
export interface UnembeddedQuery {
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
  return statements.of(rebuilds).bind(schema, { prefix: after?.prefix ?? "", key: after?.key ?? "", limit });
}

/** Counts the items to embed again. */
export function countUnembedded(
  schema: string,
  rebuilds: boolean,
): BoundStatement<{ readonly items: number }> {
  return counts.of(rebuilds).bind(schema, {});
}

type Params = ItemKey & { readonly limit: number };

const statements = /* @__PURE__ */ new StatementFamily<boolean, Params, UnembeddedRow>(
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

const counts = /* @__PURE__ */ new StatementFamily<boolean, object, { readonly items: number }>(
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
