import { sql } from "kysely";
import { isAlive } from "../../db/expiry.js";
import { type BoundStatement, Statement, StatementFamily } from "../../db/statements/statement.js";
import {
  expiryOf,
  itemColumns,
  type StoreRow,
  type ItemKey,
  LOCK_ORDER,
  type ManyKeys,
  manyKeys,
  wantedItems,
} from "./item-rows.js";

/**
 * Reads items by their keys. Expired ones are not found.
 *
 * @param refreshes - Whether the time of items with a TTL starts again, each with its own TTL.
 */
export function getItems(
  schema: string,
  keys: readonly ItemKey[],
  refreshes: boolean,
): BoundStatement<StoreRow> {
  const [one, ...others] = keys;
  if (one !== undefined && others.length === 0 && !refreshes) return getOne.bind(schema, { ...one });
  return statements.of(refreshes).bind(schema, manyKeys(keys));
}

/** Nearly every read is of one item: without arrays, Postgres takes half of the time. */
const getOne = new Statement<ItemKey, StoreRow>((db, parameter) =>
  db
    .selectFrom("store")
    .where("prefix", "=", parameter("prefix"))
    .where("key", "=", parameter("key"))
    .where(isAlive("store"))
    .select(itemColumns("store")),
);

const statements = new StatementFamily<boolean, ManyKeys, StoreRow>((refreshes) => (db, parameter) => {
  const found = wantedItems(db, parameter).where(isAlive("store"));
  if (!refreshes) return found.select(itemColumns("store"));
  return db
    .with("locked", () =>
      found
        .where("store.ttl_minutes", "is not", null)
        .orderBy(LOCK_ORDER)
        .forUpdate("store")
        .select(["store.prefix", "store.key"]),
    )
    .with("refreshed", (qb) =>
      qb
        .updateTable("store")
        .from("locked")
        .whereRef("store.prefix", "=", "locked.prefix")
        .whereRef("store.key", "=", "locked.key")
        .set({ expires_at: expiryOf(sql.ref("store.ttl_minutes")) })
        .returning(itemColumns("store")),
    )
    .selectFrom("refreshed")
    .select(["prefix", "key", "value", "created_ms", "updated_ms", "expires_ms", "version"])
    .unionAll(found.where("store.ttl_minutes", "is", null).select(itemColumns("store")));
});

/** The version of an item, as text. */
interface ItemVersionRow extends ItemKey {
  readonly version: string;
}

/** Locks items, in the order in which all writes do, and returns their versions. */
export function itemVersions(schema: string, keys: readonly ItemKey[]): BoundStatement<ItemVersionRow> {
  return versions.bind(schema, manyKeys(keys));
}

const versions = new Statement<ManyKeys, ItemVersionRow>((db, parameter) =>
  wantedItems(db, parameter)
    .orderBy(LOCK_ORDER)
    .forUpdate("store")
    .select(["store.prefix", "store.key", sql<string>`store.version::text`.as("version")]),
);
