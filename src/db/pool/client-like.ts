import pg from "pg";

/**
 * What a single connection must have: that of `pg`, of another copy of it, or of a driver that is compatible with it, such as the `Client`
 * of `@neondatabase/serverless`.
 */
export interface ClientLike {
  /** Sends a query. */
  query(text: string): Promise<{ readonly rows: unknown[] }>;
  /** Reports an error of the connection. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Reports that the connection has ended. */
  on(event: "end", listener: () => void): unknown;
  /** Distinguishes a client from a pool. */
  escapeIdentifier(name: string): string;
  /** `I` for none, `T` for a transaction, `E` for a failed one. Drivers of before 2026 lack it. */
  getTransactionStatus?(): string | null;
}

/** Whether an object is a single connection of `pg`. It looks at what the object does: a client may come from another copy of `pg`. */
export function isClient(source: object): source is ClientLike {
  return ["query", "on", "escapeIdentifier"].every((name) => typeof Reflect.get(source, name) === "function");
}

/** A pg pool, with a member that pg's types leave out. */
type PoolWithClass = pg.Pool & { Client: typeof pg.Client };

/** Returns the class that a pool creates its clients from, which may be a custom one. */
export function clientClassOf(pool: pg.Pool): typeof pg.Client {
  return hasClientClass(pool) ? pool.Client : pg.Client;
}

/** Makes a pool create its clients from this class. A pool that has no `Client` stays as it is. */
export function setClientClass(pool: pg.Pool, clientClass: typeof pg.Client): void {
  if (hasClientClass(pool)) pool.Client = clientClass;
}

function hasClientClass(pool: pg.Pool): pool is PoolWithClass {
  return "Client" in pool && typeof pool.Client === "function";
}

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
