import { type RawBuilder, sql } from "kysely";

/** The name of the lock that one process at a time holds while it deletes entries of a schema that nobody asked it to. */
export function sweepLockName(schema: string): string {
  return `langgraph-checkpoint-kysely cache ${schema}`;
}

/** Takes the lock until the end of the transaction, if nobody holds it. */
export function tryLock(name: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`;
}
