import { sql } from "kysely";
import type { CallContext } from "../call-context.js";
import { CURRENT_TIME } from "../expiry.js";
import { tryTransactionLock } from "../locks/advisory-key.js";
import { deleteBy, deleteInBatches } from "../statements/delete-in-batches.js";
import { StatementFamily } from "../statements/statement.js";
import type { OnDeleted } from "./gentle-round.js";

/** The rows of one transaction. */
const BATCH = 1_000;

/** A table whose rows expire. */
interface ExpiringTable {
  readonly table: "store" | "cache_entries";
  /** The column that, with `key`, identifies a row. */
  readonly scope: "prefix" | "namespace";
}

/**
 * Deletes all rows that have expired, in bounded transactions, unless another process does so at the same moment.
 *
 * @param lock - The name of the lock that one process at a time holds.
 * @returns The number of rows.
 */
export function sweepExpired(
  call: CallContext,
  expiring: ExpiringTable,
  lock: string,
  onDeleted?: OnDeleted,
): Promise<number> {
  const statement = sweeps.of(expiring).bind(call.schema, { lock, limit: BATCH });
  return deleteInBatches(deleteBy(call, statement), BATCH, onDeleted);
}

/** Deletes some of the rows that have expired. Returns a row for each. */
const sweeps = new StatementFamily<
  ExpiringTable,
  { readonly lock: string; readonly limit: number },
  { readonly key: string }
>(
  ({ table, scope }) =>
    (db, parameter) =>
      db
        .with("sweeper", (qb) => qb.selectNoFrom(tryTransactionLock(parameter("lock")).as("is_alone")))
        .with("expired", (qb) =>
          qb
            .selectFrom(table)
            .where(sql<boolean>`expires_at <= ${CURRENT_TIME}`)
            .where((eb) => sql<boolean>`(${eb.selectFrom("sweeper").select("is_alone")})`)
            .orderBy("expires_at")
            .limit(parameter("limit"))
            .forUpdate()
            // Another transaction writes the locked ones at this moment.
            .skipLocked()
            .select([sql.ref<string>(scope).as("scope"), "key"]),
        )
        .deleteFrom(table)
        .using("expired")
        .where(sql.ref<string>(`${table}.${scope}`), "=", sql.ref<string>("expired.scope"))
        .where(sql.ref<string>(`${table}.key`), "=", sql.ref<string>("expired.key"))
        .returning(`${table}.key`),
);
