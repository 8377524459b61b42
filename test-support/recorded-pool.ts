import pg from "pg";
import type { SentStatement } from "./recorded-statements.js";

/** A pool that records what is sent through it. */
export interface RecordingPool extends AsyncDisposable {
  readonly pool: pg.Pool;
  /** Empty it before the calls that a test is about. */
  readonly sent: SentStatement[];
}

/** Opens a pool that records each statement with its parameters, also those that several calls share. */
export function recordPool(connectionString: string, options: pg.PoolConfig = {}): RecordingPool {
  const sent: SentStatement[] = [];
  const pool = new pg.Pool({ connectionString, ...options });
  pool.on("connect", (client) => {
    const query: (config: pg.QueryConfig, ...rest: unknown[]) => Promise<pg.QueryResult> =
      client.query.bind(client);
    Object.assign(client, {
      query: (config: pg.QueryConfig, ...rest: unknown[]) => {
        const values: readonly unknown[] = config.values ?? [];
        sent.push({ text: config.text, parameters: [...values] });
        return query(config, ...rest);
      },
    });
  });
  return { pool, sent, [Symbol.asyncDispose]: () => pool.end() };
}
