import type { PostgresPool } from "kysely";
import type { ClientBase } from "pg";
import { clientClassOf, setClientClass } from "./client-class.js";
import { noticeResets } from "./notice-resets.js";
import { asPool, type PoolLike } from "./pool-like.js";

/**
 * Keeps the process alive when connections of a pool die. Node ends a process when an `error` event has no
 * listener. `pg` emits one on the pool when an idle connection dies, and one on the client when its
 * connection dies in use or while connecting.
 *
 * Savers call this for the pools that they open or that you pass in. They can't see the pool inside a Kysely:
 * call it where you create that pool. The query that was running rejects with the error; the pool replaces an
 * idle connection.
 *
 * @param pool - The pool: of `pg`, or of a driver that is compatible with it.
 * @returns The pool, as Kysely takes it.
 *
 * @example
 * ```ts
 * const pool = handlePoolErrors(new pg.Pool({ connectionString: process.env.DATABASE_URL }));
 * const db = new Kysely<App & CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
 * const checkpointer = new PostgresSaver(db);
 * ```
 */
// The clients of `@neondatabase/serverless` have another type than Kysely names, but what it needs.
export function handlePoolErrors<AnyPool extends PoolLike>(
  pool: AnyPool,
): AnyPool extends PostgresPool ? AnyPool : AnyPool & PostgresPool;
export function handlePoolErrors(given: PoolLike): PoolLike {
  const pool = asPool(given);
  if (pool.listeners("error").includes(ignoreError)) return pool;
  pool.on("error", ignoreError);
  // Covers clients that are created outside the pool too: Kysely creates one to cancel a statement.
  setClientClass(pool, classThatHandlesErrors(clientClassOf(pool)));
  // Covers clients that are already connected. The pool emits this event before it removes its own listener
  // from the client. Waiting for the promise of `connect` would be too late: an error may be in the same
  // chunk of bytes that made the client ready, and pg parses the whole chunk at once.
  pool.on("acquire", handleClientErrors);
  return pool;
}

/** Keeps the process alive when the connection of this client dies, now or later. */
export function handleClientErrors(client: ClientBase): void {
  if (client.listeners("error").includes(ignoreError)) return;
  client.on("error", ignoreError);
  noticeResets(client);
}

/** The same class, except that its instances handle connection errors from the start. */
function classThatHandlesErrors<ClientClass extends new (...args: never[]) => ClientBase>(
  original: ClientClass,
): ClientClass {
  return new Proxy(original, {
    construct: (...args) => {
      const client = Reflect.construct(...args) as ClientBase;
      handleClientErrors(client);
      return client;
    },
  });
}

function ignoreError(): void {
  // The pool discards the connection. A query on it rejects with the error.
}
