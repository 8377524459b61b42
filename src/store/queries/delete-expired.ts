import { sql, type SqlBool } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { type ItemKey, LOCK_ORDER, type ManyKeys, manyKeys, wantedKeys } from "./item-keys.js";

/** Deletes those of some items that have expired. They count as deleted already. Returns a row for each. */
export function deleteExpired(
  schema: string,
  keys: readonly ItemKey[],
): BoundStatement<{ readonly key: string }> {
  return statement.bind(schema, manyKeys(keys));
}

const statement = /* @__PURE__ */ new Statement<ManyKeys, { readonly key: string }>((db, parameter) =>
  db
    .with("expired", (qb) =>
      qb
        .selectFrom(wantedKeys(parameter))
        .innerJoin("store", (join) =>
          join.onRef("store.prefix", "=", "wanted.prefix").onRef("store.key", "=", "wanted.key"),
        )
        .where(sql<SqlBool>`store.expires_at <= ${CURRENT_TIME}`)
        .orderBy(LOCK_ORDER)
        .forUpdate("store")
        .select(["store.prefix", "store.key"]),
    )
    .deleteFrom("store")
    .using("expired")
    .whereRef("store.prefix", "=", "expired.prefix")
    .whereRef("store.key", "=", "expired.key")
    .returning("store.key"),
);
