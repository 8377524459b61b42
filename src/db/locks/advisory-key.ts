import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";

/**
 * Returns the key of an advisory lock, which Postgres identifies by number.
 *
 * @param purpose - Separates locks of different purposes, and this library's locks from those of your
 *   application.
 * @param parts - What is locked.
 * @returns A signed 64-bit integer. Two locks share a key with a probability of 1 to 2^64: they would then
 *   only wait for each other.
 */
export function advisoryKey(purpose: string, ...parts: readonly string[]): bigint {
  const text = JSON.stringify(["langgraph-checkpoint-kysely", purpose, ...parts]);
  return createHash("sha256").update(text).digest().readBigInt64BE();
}

/** An expression that takes a lock until the end of the transaction, and is false where another transaction has it. */
export function tryTransactionLock(name: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`;
}
