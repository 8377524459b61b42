import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { type ItemKey, LOCK_ORDER, type ManyKeys, manyKeys, wantedKeys } from "./item-keys.js";

/** The version of an item, as text. */
export interface ItemVersionRow extends ItemKey {
  readonly version: string;
}

/** Locks items, in the order in which all writes do, and returns their versions. */
export function itemVersions(schema: string, keys: readonly ItemKey[]): BoundStatement<ItemVersionRow> {
  return statement.bind(schema, manyKeys(keys));
}

const statement = /* @__PURE__ */ new Statement<ManyKeys, ItemVersionRow>((db, parameter) =>
  db
    .selectFrom(wantedKeys(parameter))
    .innerJoin("store", (join) =>
      join.onRef("store.prefix", "=", "wanted.prefix").onRef("store.key", "=", "wanted.key"),
    )
    .orderBy(LOCK_ORDER)
    .forUpdate("store")
    .select(["store.prefix", "store.key", sql<string>`store.version::text`.as("version")]),
);
