import type { Pool, PoolClient } from "pg";
import { ConnectionError } from "../../errors/index.js";
import { withoutCredentials } from "./pool-address.js";

/** Who stands in line for a connection of a pool, and how each is told that none will come. */
type Line = Set<(error: ConnectionError) => void>;

// By pool, not by saver: one listener on a pool does for all savers that share it.
const lines = new WeakMap<Pool, Line>();

/**
 * Takes a connection from a pool. When the pool is ended meanwhile, `pg` forgets those who stand in line, and would never
 * answer them: they are told here.
 *
 * @throws ConnectionError, one that does not pass, when the pool has been ended.
 */
export function connectUntilEnded(pool: Pool): Promise<PoolClient> {
  if (pool.ending) return Promise.reject(endedError());
  const line = lineOf(pool);
  return new Promise((resolve, reject) => {
    const fail: (reason: unknown) => void = reject;
    line.add(reject);
    pool.connect().then(
      (client) => {
        if (line.delete(reject)) resolve(client);
        // It was told meanwhile that the pool has been ended.
        else client.release();
      },
      (error: unknown) => {
        line.delete(reject);
        const shown = withoutCredentials(error, pool);
        fail(pool.ending ? endedError(shown) : shown);
        dismissIfEnded(pool);
      },
    );
  });
}

/** Tells those who stand in line of a pool that has been ended. */
export function dismissIfEnded(pool: Pool): void {
  const line = lines.get(pool);
  if (!pool.ending || line === undefined) return;
  for (const tell of [...line]) {
    line.delete(tell);
    tell(endedError());
  }
}

function lineOf(pool: Pool): Line {
  const known = lines.get(pool);
  if (known !== undefined) return known;
  const line: Line = new Set();
  lines.set(pool, line);
  // While somebody stands in line all connections are in use: the next one that comes back shows the end.
  pool.on("release", () => {
    dismissIfEnded(pool);
  });
  return line;
}

function endedError(cause?: unknown): ConnectionError {
  return new ConnectionError("the pool has been ended", { transient: false, cause });
}
