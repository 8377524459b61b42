import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { isInScope, type ScopeParams, scopeParams } from "./scope.js";

/** Deletes some of the items of a namespace and those below it. Returns a row for each. */
export function deleteScope(
  schema: string,
  prefix: string,
  limit: number,
): BoundStatement<{ readonly key: string }> {
  return statement.bind(schema, { ...scopeParams(prefix), limit });
}

const statement = /* @__PURE__ */ new Statement<
  ScopeParams & { readonly limit: number },
  { readonly key: string }
>((db, parameter) =>
  db
    .with("chosen", (qb) =>
      qb
        .selectFrom("store")
        .where(isInScope("store", parameter))
        .orderBy(sql`prefix collate "C"`)
        .orderBy(sql`key collate "C"`)
        .limit(parameter("limit"))
        .forUpdate()
        .select(["prefix", "key"]),
    )
    .deleteFrom("store")
    .using("chosen")
    .whereRef("store.prefix", "=", "chosen.prefix")
    .whereRef("store.key", "=", "chosen.key")
    .returning("store.key"),
);
