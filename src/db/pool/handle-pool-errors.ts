import type { ClientBase, Pool } from "pg";
import { clientClassOf, setClientClass } from "./client-class.js";

/**
 * Keeps the process alive when connections of a pool die. Node ends a process where nobody listens to an error: `pg` sends
 * one from the pool when an idle connection dies, and one from the connection when it dies in use, or as it connects.
 *
 * Savers do this for pools that they open or are handed. A pool inside of a Kysely they can't see: guard it where it is made. The
 * error itself is told by the query that was under way; an idle connection is replaced.
 *
 * @returns The pool.
 *
 * @example
 * ```ts
 * const pool = guardPool(new pg.Pool({ connectionString: process.env.DATABASE_URL }));
 * const db = new Kysely<App & CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
 * const checkpointer = new PostgresSaver(db);
 * ```
 */
export function guardPool<AnyPool extends Pool>(pool: AnyPool): AnyPool {
  if (pool.listeners("error").includes(ignoreError)) return pool;
  pool.on("error", ignoreError);
  // Also for clients that are made beside the pool: Kysely does so in order to cancel a statement.
  setClientClass(pool, guardedClass(clientClassOf(pool)));
  // For clients that are connected already. The pool emits this before it removes its own listener from the client. A promise
  // for the client would be too late: an error may be in the chunk of bytes whose beginning made the client ready, and pg
  // reads the whole chunk at once.
  pool.on("acquire", guardClient);
  return pool;
}

/** Keeps the process alive when this client of a pool loses its connection, now or later. */
export function guardClient(client: ClientBase): void {
  if (!client.listeners("error").includes(ignoreError)) client.on("error", ignoreError);
}

/** The class, but that its instances are guarded from the beginning. */
function guardedClass<ClientClass extends new (...args: never[]) => ClientBase>(
  original: ClientClass,
): ClientClass {
  return new Proxy(original, {
    construct: (...args) => {
      const client = Reflect.construct(...args) as ClientBase;
      guardClient(client);
      return client;
    },
  });
}

function ignoreError(): void {
  // The pool discards the connection. The query that is sent on it fails, and says why.
}
