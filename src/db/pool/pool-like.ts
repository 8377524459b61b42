import type pg from "pg";

/**
 * What a pool must have: that of `pg`, of another copy of it, or of a driver that is compatible with it, such as the `Pool` of
 * `@neondatabase/serverless`.
 */
export interface PoolLike {
  readonly options: { readonly max: number };
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly ending: boolean;
  connect(): Promise<{ release(error?: Error | boolean): void }>;
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
  end(): Promise<void>;
}

/** Reads a pool by the types of `pg`, which name more members than those of compatible drivers do. */
export function asPool(pool: PoolLike): pg.Pool {
  return pool as pg.Pool;
}
