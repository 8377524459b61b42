import pg from "pg";

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
