import type pg from "pg";
import { openPool } from "../open-pool.js";
import { observeQueries } from "./observe-queries.js";

/** Open connections. */
export interface Connected {
  /** Returns the number of statements that `run` sends, including BEGIN and COMMIT. Absent where they can't be counted. */
  readonly count?: (run: () => Promise<unknown>) => Promise<number>;
  readonly end: () => Promise<void>;
}

/** A pool that counts the statements that are sent through it. */
export interface CountedPool extends Required<Connected> {
  readonly pool: pg.Pool;
}

/** Opens a pool that counts statements where `pg` receives them, whichever library sends them. */
export function openCountedPool(url: string, connections?: number): CountedPool {
  const pool = openPool(url, connections);
  return {
    pool,
    ...countStatements((see) => {
      observeQueries(pool, see);
    }),
    end: () => pool.end(),
  };
}

/**
 * Counts statements.
 *
 * @param observe - Calls its argument at every statement from now on.
 */
export function countStatements(observe: (see: () => void) => void): Pick<Required<Connected>, "count"> {
  let sent = 0;
  observe(() => sent++);
  return {
    count: async (run) => {
      const before = sent;
      await run();
      return sent - before;
    },
  };
}
