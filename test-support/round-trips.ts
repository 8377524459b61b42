import pg from "pg";

/** A pool, and the last statement of each of its round trips. */
export interface ObservedPool {
  readonly pool: pg.Pool;
  /** Empty it before the calls that a test counts. */
  readonly sent: string[];
}

/** Opens a pool that records its round trips. */
export function observedPool(connectionString: string): ObservedPool {
  const sent: string[] = [];
  const pool = new pg.Pool({ connectionString });
  pool.on("connect", (client) => {
    const query: (config: pg.QueryConfig) => Promise<pg.QueryResult> = client.query.bind(client);
    Object.assign(client, {
      query: (config: pg.QueryConfig) => {
        sent.push(config.text);
        return query(config);
      },
    });
  });
  return { pool, sent };
}
