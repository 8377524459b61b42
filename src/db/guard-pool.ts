import type { Pool } from "pg";

/**
 * Keeps the process alive when connections of a pool die. Node ends a process where nobody listens to an error: `pg` sends
 * one from the pool when an idle connection dies, and one from the connection when it dies in use.
 *
 * Savers do this for pools that they open or are handed. A pool inside of a Kysely they can't see: guard it where it is made,
 * before it has connections. The error itself is told by the query that was under way; an idle connection is replaced.
 *
 * @returns The pool.
 *
 * @example
 * ```ts
 * const pool = guardPool(new pg.Pool({ connectionString: process.env.DATABASE_URL }));
 * const db = new Kysely<App & CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
 * const checkpointer = new PostgresSaver(db);
 * ```
 */
export function guardPool<AnyPool extends Pool>(pool: AnyPool): AnyPool {
  if (pool.listeners("error").includes(ignore)) return pool;
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

function ignore(): void {
  // The pool has discarded the connection by then, and the next query opens another.
}
