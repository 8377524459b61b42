import { type RawBuilder, sql } from "kysely";

/** An expression that takes a lock until the end of the transaction, and is false where another transaction has it. */
export function tryTransactionLock(name: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`;
}
