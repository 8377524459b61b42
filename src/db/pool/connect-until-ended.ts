import type { Pool, PoolClient, ClientBase } from "pg";
import { ConnectionError } from "../../errors/index.js";
import { BLOCKED_MS } from "../async/timers.js";
import { outsideCalls } from "../../telemetry/running-calls.js";
import { noop } from "../async/noop.js";
import { waitsOf } from "../connection-waits.js";
import { withoutCredentials } from "./pool-address.js";
import type { PostgresPool } from "kysely";
import { clientClassOf, setClientClass, asPool, type PoolLike } from "./client-like.js";
import { noticeResets } from "./backend-fences.js";

/** The callers that wait for a connection of a pool, each with the function that rejects its wait. */
type WaitingCallers = Set<(error: ConnectionError) => void>;

// One per pool, so that all savers on a pool share one listener.
const waitingCallersOfPools = new WeakMap<Pool, WaitingCallers>();

/**
 * Takes a connection from a pool. When a pool is ended, `pg` never answers the callers that still wait: this
 * function rejects them. Without the option `connectionTimeoutMillis`, `pg` lets them wait for ever: this function limits that.
 *
 * @throws ConnectionError, not a transient one, when the pool has been ended, or nobody has given back a connection for a long time.
 */
export function connectUntilEnded(pool: Pool): Promise<PoolClient> {
  if (pool.ending) return Promise.reject(endedError());
  const waiting = waitingCallersOf(pool);
  return new Promise((resolve, reject) => {
    const { connectionTimeoutMillis = 0 } = pool.options;
    // A caller for whom a connection is idle does not wait, and `pg` bounds a wait with the option itself.
    const isBounded = connectionTimeoutMillis > 0 || pool.idleCount > pool.waitingCount;
    /** Ends the wait. Returns false where it has ended before. */
    const end = (): boolean => {
      stopTimer();
      return waiting.delete(fail);
    };
    const settle: (reason: unknown) => void = reject;
    const fail = (reason: unknown): void => {
      end();
      settle(reason);
    };
    const stopTimer = isBounded ? noop : waitsOf(pool).onStandstill({ explain: () => explain(pool) }, fail);
    waiting.add(fail);
    connect(pool).then(
      (client) => {
        if (end()) resolve(client);
        // The wait was rejected in the meantime.
        else
          outsideCalls(() => {
            client.release();
          });
      },
      (error: unknown) => {
        const shown = withoutCredentials(error, pool);
        fail(pool.ending ? endedError(shown) : shown);
        rejectIfEnded(pool);
      },
    );
  });
}

/**
 * Asks once more where the timer of `pg` has ended the wait while this process was frozen or busy: what the server has answered
 * meanwhile was not read.
 */
function connect(pool: Pool): Promise<PoolClient> {
  const { connectionTimeoutMillis = 0 } = pool.options;
  const dueAt = performance.now() + (connectionTimeoutMillis > 0 ? connectionTimeoutMillis : Infinity);
  return pool.connect().catch((error: unknown) => {
    if (performance.now() <= dueAt + BLOCKED_MS) throw error;
    return pool.connect();
  });
}

function explain({ totalCount, idleCount, options: { max } }: Pool): string {
  return (
    `a connection of the pool, and none was given back: ${totalCount} of ${max} are open or being opened, ${idleCount} are idle. ` +
    "Either the server does not answer, or the application holds the connections. A call can't end while the code that waits for it " +
    "holds the last one: give that back before the call, pass the saver a Transaction of Kysely, or raise `max` of the pool"
  );
}

/** Rejects the callers that wait for a connection of a pool that has been ended. */
export function rejectIfEnded(pool: Pool): void {
  const waiting = waitingCallersOfPools.get(pool);
  if (!pool.ending || waiting === undefined) return;
  for (const fail of [...waiting]) fail(endedError());
}

function waitingCallersOf(pool: Pool): WaitingCallers {
  const known = waitingCallersOfPools.get(pool);
  if (known !== undefined) return known;
  const waiting: WaitingCallers = new Set();
  waitingCallersOfPools.set(pool, waiting);
  // While a caller waits, either all connections are in use, and the next one that is released shows whether the pool was ended. Or
  // one is idle, and a pool that is ended in this moment removes it.
  const waits = waitsOf(pool);
  const check = (): void => {
    waits.moved();
    rejectIfEnded(pool);
  };
  pool.on("release", check);
  pool.on("remove", check);
  return waiting;
}

function endedError(cause?: unknown): ConnectionError {
  return new ConnectionError("the pool has been ended", { transient: false, cause });
}

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

/**
 * Tracks the clients of a pool that are still connecting. `pg` ends a pool only when each of them has
 * connected or failed; with a silent server that takes the full connection timeout.
 *
 * @param pool - A pool that has no clients yet.
 * @returns A function that gives up the clients that are still connecting.
 */
export function trackConnectingClients(pool: Pool): () => void {
  const connecting = new Set<ClientBase>();
  setClientClass(
    pool,
    new Proxy(clientClassOf(pool), {
      construct: (...args) => {
        const client = Reflect.construct(...args) as ClientBase;
        const forget = (): void => {
          connecting.delete(client);
        };
        connecting.add(client);
        client.once("connect", forget);
        client.once("end", forget);
        return client;
      },
    }),
  );
  return () => {
    for (const client of connecting) destroyStreamOf(client);
  };
}

/** Does what the pool does after a connection timeout. pg's types leave these members out. */
function destroyStreamOf(client: ClientBase): void {
  const connection: unknown = Reflect.get(client, "connection");
  if (typeof connection !== "object" || connection === null) return;
  const stream: unknown = Reflect.get(connection, "stream");
  // Not an `instanceof Duplex`: the sockets of Cloudflare Workers are none.
  if (hasDestroy(stream)) stream.destroy();
}

function hasDestroy(stream: unknown): stream is { destroy(): unknown } {
  return (
    typeof stream === "object" && stream !== null && typeof Reflect.get(stream, "destroy") === "function"
  );
}
