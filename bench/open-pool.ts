import pg from "pg";

/**
 * Opens a pool of the benchmark's own. It survives the loss of its connections: `end()` returns before the server has
 * closed them, and dropping a database terminates the rest.
 */
export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, idleTimeoutMillis: 0 });
  pool.on("error", () => undefined);
  return pool;
}
