import pg from "pg";

/** A pool, and what it has sent: of each round trip the last statement. */
export interface ObservedPool {
  readonly pool: pg.Pool;
  /** To be emptied before what is looked at. */
  readonly sent: string[];
}

/** Opens a pool that tells of its round trips. */
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
