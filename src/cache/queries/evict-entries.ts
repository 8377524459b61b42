import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { TextRange } from "./entries.js";
import { tryTransactionLock } from "../../db/locks/advisory-key.js";

/** How much a cache may hold. */
export interface Bounds {
  /** The number of entries; `null` for any. */
  readonly maxEntries: number | null;
  /** The bytes of the values; `null` for any. */
  readonly maxBytes: number | null;
}

/**
 * Deletes some of the entries of a range that exceed the bounds: those that expire first, and of those that never do the oldest ones.
 * Returns a row for each. The transaction must hold the sweep lock already: a statement that takes it counts entries that another process
 * has just deleted (C7).
 */
export function evictEntries(
  schema: string,
  { from, beyond }: TextRange,
  { maxEntries, maxBytes }: Bounds,
  limit: number,
): BoundStatement<{ readonly key: string }> {
  return statement.bind(schema, { from, beyond, maxEntries, maxBytes, limit });
}

interface EvictParams extends TextRange, Bounds {
  readonly limit: number;
}

const IN_ORDER = sql`order by expires_at nulls last, created_at, namespace, key rows unbounded preceding`;

const statement = new Statement<EvictParams, { readonly key: string }>((db, parameter) => {
  const isInRange = sql<SqlBool>`namespace >= ${parameter("from")} and namespace < ${parameter("beyond")}`;
  return db
    .with("excess", (qb) =>
      qb
        .selectFrom("cache_entries")
        .where(isInRange)
        .select([
          sql<number>`count(*) - ${parameter("maxEntries")}::float8`.as("entries"),
          sql<number>`sum(size) - ${parameter("maxBytes")}::float8`.as("bytes"),
        ]),
    )
    .with("first", (qb) =>
      qb
        .selectFrom("cache_entries")
        .where(isInRange)
        .where(
          (eb) => sql<boolean>`(${eb.selectFrom("excess").select(sql`entries > 0 or bytes > 0`.as("is"))})`,
        )
        .orderBy("expires_at", (expiry) => expiry.asc().nullsLast())
        .orderBy("created_at")
        .orderBy("namespace")
        .orderBy("key")
        .limit(parameter("limit"))
        .forUpdate()
        .skipLocked()
        .select(["namespace", "key", "size", "expires_at", "created_at"]),
    )
    .with("counted", (qb) =>
      qb.selectFrom("first").select([
        "namespace",
        "key",
        sql<number>`row_number() over (${IN_ORDER})`.as("nth"),
        // The bytes of those before it.
        sql<number>`sum(size) over (${IN_ORDER}) - size`.as("before"),
      ]),
    )
    .with("evicted", (qb) =>
      qb
        .selectFrom("counted")
        .innerJoin("excess", (join) => join.onTrue())
        .where(sql<SqlBool>`(nth <= excess.entries or before < excess.bytes)`)
        .select(["counted.namespace", "counted.key"]),
    )
    .deleteFrom("cache_entries")
    .using("evicted")
    .whereRef("cache_entries.namespace", "=", "evicted.namespace")
    .whereRef("cache_entries.key", "=", "evicted.key")
    .returning("cache_entries.key");
});

/** The name of the lock that one process at a time holds while it deletes expired and excess entries of a schema. */
export function sweepLockName(schema: string): string {
  return `langgraph-checkpoint-kysely cache ${schema}`;
}

/** Takes the sweep lock until the end of the transaction, unless another process holds it. */
export function takeSweepLock(schema: string): BoundStatement<{ readonly is_alone: boolean }> {
  return sweepLock.bind(schema, { lock: sweepLockName(schema) });
}

const sweepLock = new Statement<{ readonly lock: string }, { readonly is_alone: boolean }>((db, parameter) =>
  db.selectNoFrom(tryTransactionLock(parameter("lock")).as("is_alone")),
);
