import pg from "pg";

/** A pool of pg's, with the member that pg's types leave out. */
type PoolWithClass = pg.Pool & { Client: typeof pg.Client };

/** What a pool makes its clients of: it may have been given a class of its own. */
export function clientClassOf(pool: pg.Pool): typeof pg.Client {
  return hasClientClass(pool) ? pool.Client : pg.Client;
}

/** Has a pool make its clients of this class from now on; a pool that is not of pg's kind stays as it is. */
export function setClientClass(pool: pg.Pool, clientClass: typeof pg.Client): void {
  if (hasClientClass(pool)) pool.Client = clientClass;
}

function hasClientClass(pool: pg.Pool): pool is PoolWithClass {
  return "Client" in pool && typeof pool.Client === "function";
}
