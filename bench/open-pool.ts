import pg from "pg";

/**
 * A pool of the benchmark's own. It bears the death of its connections: `end()` returns before the server has seen them
 * go, and a database is dropped with those that are left.
 */
export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, idleTimeoutMillis: 0 });
  pool.on("error", () => undefined);
  return pool;
}
