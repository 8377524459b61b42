import type pg from "pg";

/** Gets the arguments of a query as a client of `pg` got them. */
export type SeeQuery = (args: readonly unknown[]) => void;

/** Calls `see` with the arguments of every query that the clients of a pool get, whichever library sends it. */
export function observeQueries(pool: pg.Pool, see: SeeQuery): void {
  pool.on("connect", (client) => {
    observeClient(client, see);
  });
}

/** Calls `see` with the arguments of every query that a client gets. */
export function observeClient(client: pg.ClientBase, see: SeeQuery): void {
  const query: unknown = Reflect.get(client, "query");
  if (typeof query !== "function") throw new TypeError("a client of pg without a method query");
  Reflect.set(client, "query", (...args: unknown[]): unknown => {
    see(args);
    const result: unknown = Reflect.apply(query, client, args);
    return result;
  });
}
