import { sql, type SqlBool } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";
import { type BoundStatement, Statement, StatementFamily } from "../../db/statements/statement.js";
import { type ItemKey, LOCK_ORDER, type ManyKeys, manyKeys, wantedItems, notifyChange } from "./item-rows.js";
import { isInScope, type ScopeParams, scopeParams } from "./item-scope.js";

/** Deletes those of some items that have expired. They count as deleted already. Returns a row for each. */
export function deleteExpired(
  schema: string,
  keys: readonly ItemKey[],
): BoundStatement<{ readonly key: string }> {
  return expiredDeletions.bind(schema, manyKeys(keys));
}

const expiredDeletions = new Statement<ManyKeys, { readonly key: string }>((db, parameter) =>
  db
    .with("expired", (qb) =>
      wantedItems(qb, parameter)
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

/**
 * Deletes some of the items of a namespace and those below it. Returns a row for each.
 *
 * @param channel - The channel that announces the changes; `undefined` for none.
 */
export function deleteScope(
  schema: string,
  prefix: string,
  limit: number,
  channel: string | undefined,
): BoundStatement<{ readonly key: string }> {
  return scopeDeletions.of(channel !== undefined).bind(schema, { ...scopeParams(prefix), limit, channel });
}

const scopeDeletions = new StatementFamily<
  boolean,
  ScopeParams & { readonly limit: number; readonly channel: string | undefined },
  { readonly key: string }
>(
  (notifies) => (db, parameter) =>
    db
      .with("chosen", (qb) =>
        qb
          .selectFrom("store")
          .where(isInScope("store", parameter))
          .orderBy(LOCK_ORDER)
          .limit(parameter("limit"))
          .forUpdate()
          .select(["prefix", "key"]),
      )
      .deleteFrom("store")
      .using("chosen")
      .whereRef("store.prefix", "=", "chosen.prefix")
      .whereRef("store.key", "=", "chosen.key")
      .returning("store.key")
      .$if(notifies, (qb) => qb.returning(notifyChange("delete", parameter("channel")).as("notified"))),
);
