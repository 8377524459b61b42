import pg from "pg";

/** The size of `pg`'s pools without options. */
export const DEFAULT_CONNECTIONS = 10;

/** The options of every pool of the benchmark, beside its database: a connection stays. */
export const POOL_OPTIONS = { idleTimeoutMillis: 0, max: DEFAULT_CONNECTIONS };

/**
 * Opens a pool of the benchmark's own. It survives the loss of its connections: `end()` returns before the server has
 * closed them, and dropping a database terminates the rest.
 */
export function openPool(url: string, max = DEFAULT_CONNECTIONS): pg.Pool {
  const pool = new pg.Pool({ ...POOL_OPTIONS, connectionString: url, max });
  pool.on("error", () => undefined);
  return pool;
}
