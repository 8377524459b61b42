import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { ItemKey } from "./get-items.js";
import { CURRENT_TIME } from "./item-columns.js";

/** Deletes those of some items that have expired. They count as deleted already. Returns a row for each. */
export function deleteExpired(
  schema: string,
  keys: readonly ItemKey[],
): BoundStatement<{ readonly key: string }> {
  return statement.bind(schema, {
    prefixes: keys.map(({ prefix }) => prefix),
    keys: keys.map(({ key }) => key),
  });
}

interface KeyParams {
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
}

const statement = /* @__PURE__ */ new Statement<KeyParams, { readonly key: string }>((db, parameter) =>
  db
    .with("expired", (qb) =>
      qb
        .selectFrom(
          sql<ItemKey>`unnest(${parameter("prefixes")}::text[], ${parameter("keys")}::text[])`.as<"named">(
            sql`named(prefix, key)`,
          ),
        )
        .innerJoin("store", (join) =>
          join.onRef("store.prefix", "=", "named.prefix").onRef("store.key", "=", "named.key"),
        )
        .where(sql<SqlBool>`store.expires_at <= ${CURRENT_TIME}`)
        // Locked in one order, so that concurrent imports can't deadlock.
        .orderBy(sql`store.prefix collate "C"`)
        .orderBy(sql`store.key collate "C"`)
        .forUpdate("store")
        .select(["store.prefix", "store.key"]),
    )
    .deleteFrom("store")
    .using("expired")
    .whereRef("store.prefix", "=", "expired.prefix")
    .whereRef("store.key", "=", "expired.key")
    .returning("store.key"),
);
