import { sql } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";
import { tryTransactionLock } from "../../db/locks/try-transaction-lock.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { sweepLockName } from "./sweep-lock.js";

/** Deletes some of the entries that have expired, unless another process does so at the same moment. Returns a row for each. */
export function sweepEntries(schema: string, limit: number): BoundStatement<{ readonly key: string }> {
  return statement.bind(schema, { lock: sweepLockName(schema), limit });
}

const statement = /* @__PURE__ */ new Statement<
  { readonly lock: string; readonly limit: number },
  { readonly key: string }
>((db, parameter) =>
  db
    .with("sweeper", (qb) => qb.selectNoFrom(tryTransactionLock(parameter("lock")).as("is_alone")))
    .with("expired", (qb) =>
      qb
        .selectFrom("cache_entries")
        .where(sql<boolean>`expires_at <= ${CURRENT_TIME}`)
        .where((eb) => sql<boolean>`(${eb.selectFrom("sweeper").select("is_alone")})`)
        .orderBy("expires_at")
        .limit(parameter("limit"))
        .forUpdate()
        // Another transaction writes the locked ones at this moment.
        .skipLocked()
        .select(["namespace", "key"]),
    )
    .deleteFrom("cache_entries")
    .using("expired")
    .whereRef("cache_entries.namespace", "=", "expired.namespace")
    .whereRef("cache_entries.key", "=", "expired.key")
    .returning("cache_entries.key"),
);
