import type { Pool, PoolClient } from "pg";
import { ConnectionError } from "../../errors/index.js";
import { outsideCalls } from "../../telemetry/outside-calls.js";
import { BLOCKED_MS } from "../async/after-loop-time.js";
import { noop } from "../async/noop.js";
import { waitsOf } from "../connection-waits.js";
import { withoutCredentials } from "./pool-address.js";

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
    const fail: (reason: unknown) => void = reject;
    const { connectionTimeoutMillis = 0 } = pool.options;
    // A caller for whom a connection is idle does not wait, and `pg` bounds a wait with the option itself.
    const isBounded = connectionTimeoutMillis > 0 || pool.idleCount > pool.waitingCount;
    const stop = isBounded
      ? noop
      : waitsOf(pool).onStandstill({ explain: () => explain(pool) }, (error) => {
          waiting.delete(reject);
          reject(error);
        });
    waiting.add(reject);
    connect(pool)
      .then(
        (client) => {
          if (waiting.delete(reject)) resolve(client);
          // The wait was rejected in the meantime.
          else
            outsideCalls(() => {
              client.release();
            });
        },
        (error: unknown) => {
          waiting.delete(reject);
          const shown = withoutCredentials(error, pool);
          fail(pool.ending ? endedError(shown) : shown);
          rejectIfEnded(pool);
        },
      )
      .finally(stop);
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
  for (const fail of [...waiting]) {
    waiting.delete(fail);
    fail(endedError());
  }
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
