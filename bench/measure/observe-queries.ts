import type pg from "pg";

/** Calls `see` with the arguments of every query that the clients of a pool get, whichever library sends it. */
export function observeQueries(pool: pg.Pool, see: (args: readonly unknown[]) => void): void {
  pool.on("connect", (client) => {
    const query: unknown = Reflect.get(client, "query");
    if (typeof query !== "function") throw new TypeError("a client of pg without a method query");
    Reflect.set(client, "query", (...args: unknown[]): unknown => {
      see(args);
      const result: unknown = Reflect.apply(query, client, args);
      return result;
    });
  });
}
