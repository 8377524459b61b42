import type pg from "pg";
import { openPool } from "../open-pool.js";
import { observeQueries } from "./observe-queries.js";

/** A pool that counts the statements that are sent through it. */
export interface CountedPool {
  readonly pool: pg.Pool;
  /** Returns the number of statements that `run` sends, including BEGIN and COMMIT. */
  readonly count: (run: () => Promise<unknown>) => Promise<number>;
}

/** Opens a pool that counts statements where `pg` receives them, whichever library sends them. */
export function openCountedPool(url: string): CountedPool {
  let sent = 0;
  const pool = openPool(url);
  observeQueries(pool, () => sent++);
  return {
    pool,
    count: async (run) => {
      const before = sent;
      await run();
      return sent - before;
    },
  };
}
