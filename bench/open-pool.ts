import pg from "pg";

/** The size of `pg`'s pools without options. */
export const DEFAULT_CONNECTIONS = 10;

/**
 * Opens a pool of the benchmark's own. It survives the loss of its connections: `end()` returns before the server has
 * closed them, and dropping a database terminates the rest.
 */
export function openPool(url: string, max = DEFAULT_CONNECTIONS): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, idleTimeoutMillis: 0, max });
  pool.on("error", () => undefined);
  return pool;
}
