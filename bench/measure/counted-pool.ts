import type pg from "pg";
import { openPool } from "../open-pool.js";

/** A pool that knows how many statements were sent through it. */
export interface CountedPool {
  readonly pool: pg.Pool;
  /** How many statements `run` sends, BEGIN and COMMIT included. */
  readonly count: (run: () => Promise<unknown>) => Promise<number>;
}

/** Opens a pool whose statements are counted where `pg` takes them, whichever library sends them. */
export function openCountedPool(url: string): CountedPool {
  let sent = 0;
  const pool = openPool(url);
  pool.on("connect", (client) => {
    const query: unknown = Reflect.get(client, "query");
    if (typeof query !== "function") throw new TypeError("a client of pg without a method query");
    Reflect.set(client, "query", (...args: unknown[]): unknown => {
      sent++;
      const result: unknown = Reflect.apply(query, client, args);
      return result;
    });
  });
  return {
    pool,
    count: async (run) => {
      const before = sent;
      await run();
      return sent - before;
    },
  };
}
