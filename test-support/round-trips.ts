import pg from "pg";

/** A pool, and the last statement of each of its round trips. */
export interface ObservedPool {
  readonly pool: pg.Pool;
  /** Empty it before the calls that a test counts. */
  readonly sent: string[];
}

/** What a new connection is asked for, and whether there is Citus, whether it distributes the tables, and which of their columns are missing. */
const ASKS_FOR_SERVER =
  /^select (activity\.pid|1 as "citus" where to_regclass|\(distributed\.partmethod|"added"\."attname" as "name")/;

/** Opens a pool that records its round trips. */
export function observedPool(connectionString: string, max?: number): ObservedPool {
  const sent: string[] = [];
  const pool = new pg.Pool({ connectionString, max });
  pool.on("connect", (client) => {
    const query: (sent: string | pg.QueryConfig) => Promise<pg.QueryResult> = client.query.bind(client);
    Object.assign(client, {
      query: (config: string | pg.QueryConfig) => {
        // Text without parameters only prepares a new connection. The server is asked once for each connection or pool.
        if (typeof config === "object" && !ASKS_FOR_SERVER.test(config.text)) sent.push(config.text);
        return query(config);
      },
    });
  });
  return { pool, sent };
}
