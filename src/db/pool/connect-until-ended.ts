import type { Pool, PoolClient } from "pg";
import { ConnectionError } from "../../errors/index.js";
import { withoutCredentials } from "./pool-address.js";

/** The callers that wait for a connection of a pool, each with the function that rejects its wait. */
type WaitingCallers = Set<(error: ConnectionError) => void>;

// One per pool, so that all savers on a pool share one listener.
const waitingCallersOfPools = new WeakMap<Pool, WaitingCallers>();

/**
 * Takes a connection from a pool. When a pool is ended, `pg` never answers the callers that still wait: this
 * function rejects them.
 *
 * @throws ConnectionError, not a transient one, when the pool has been ended.
 */
export function connectUntilEnded(pool: Pool): Promise<PoolClient> {
  if (pool.ending) return Promise.reject(endedError());
  const waiting = waitingCallersOf(pool);
  return new Promise((resolve, reject) => {
    const fail: (reason: unknown) => void = reject;
    waiting.add(reject);
    pool.connect().then(
      (client) => {
        if (waiting.delete(reject)) resolve(client);
        // The wait was rejected in the meantime, since the pool was ended.
        else client.release();
      },
      (error: unknown) => {
        waiting.delete(reject);
        const shown = withoutCredentials(error, pool);
        fail(pool.ending ? endedError(shown) : shown);
        rejectIfEnded(pool);
      },
    );
  });
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
  const check = (): void => {
    rejectIfEnded(pool);
  };
  pool.on("release", check);
  pool.on("remove", check);
  return waiting;
}

function endedError(cause?: unknown): ConnectionError {
  return new ConnectionError("the pool has been ended", { transient: false, cause });
}
