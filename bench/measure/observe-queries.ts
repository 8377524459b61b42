import type pg from "pg";

/** Has `see` called with the arguments of every query that a pool's clients are given, whichever library sends it. */
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
