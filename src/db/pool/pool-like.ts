import type pg from "pg";

/**
 * What a pool must have: that of `pg`, of another copy of it, or of a driver that is compatible with it, such as the `Pool` of
 * `@neondatabase/serverless`.
 */
export interface PoolLike {
  /** What it was created with. */
  readonly options: { readonly max: number };
  /** The number of clients. */
  readonly totalCount: number;
  /** The number of clients that nobody uses. */
  readonly idleCount: number;
  /** How many wait for a client. */
  readonly waitingCount: number;
  /** Whether it was ended. */
  readonly ending: boolean;
  /** Takes a client of the pool, which its `release` gives back. */
  connect(): Promise<object>;
  /** Sends a query on any client. */
  query(text: string): Promise<{ readonly rows: unknown[] }>;
  /** Closes the clients. */
  end(): Promise<void>;
}

/** Reads a pool by the types of `pg`, which name more members than those of compatible drivers do. */
export function asPool(pool: PoolLike): pg.Pool {
  return pool as pg.Pool;
}
