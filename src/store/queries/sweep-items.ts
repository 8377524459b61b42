import { sql } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";
import { tryTransactionLock } from "../../db/locks/try-transaction-lock.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/** Deletes some of the items that have expired, unless another process does so at the same moment. Returns a row for each. */
export function sweepItems(schema: string, limit: number): BoundStatement<{ readonly key: string }> {
  return statement.bind(schema, { lock: `langgraph-checkpoint-kysely sweep ${schema}`, limit });
}

const statement = /* @__PURE__ */ new Statement<
  { readonly lock: string; readonly limit: number },
  { readonly key: string }
>((db, parameter) =>
  db
    .with("sweeper", (qb) => qb.selectNoFrom(tryTransactionLock(parameter("lock")).as("is_alone")))
    .with("expired", (qb) =>
      qb
        .selectFrom("store")
        .where(sql<boolean>`expires_at <= ${CURRENT_TIME}`)
        .where((eb) => sql<boolean>`(${eb.selectFrom("sweeper").select("is_alone")})`)
        .orderBy("expires_at")
        .limit(parameter("limit"))
        .forUpdate()
        // Another transaction writes the locked ones at this moment.
        .skipLocked()
        .select(["prefix", "key"]),
    )
    .deleteFrom("store")
    .using("expired")
    .whereRef("store.prefix", "=", "expired.prefix")
    .whereRef("store.key", "=", "expired.key")
    .returning("store.key"),
);
