import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import { LOCK_ORDER } from "./item-keys.js";
import { notifyChange } from "./notify-change.js";
import { isInScope, type ScopeParams, scopeParams } from "./item-scope.js";

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
  return statements.of(channel !== undefined).bind(schema, { ...scopeParams(prefix), limit, channel });
}

const statements = /* @__PURE__ */ new StatementFamily<
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
