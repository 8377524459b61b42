import type pg from "pg";
import { openPool } from "../open-pool.js";
import { observeQueries } from "./observe-queries.js";

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
