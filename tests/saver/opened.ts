import pg from "pg";
import type { DatabaseSource } from "../../src/db/opened-database.js";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";

/** The savers and pools that a test opens, to be closed when it has ended. */
export class Opened {
  readonly #ends: (() => Promise<unknown>)[] = [];

  saver(source: DatabaseSource, options?: PostgresSaverOptions): PostgresSaver {
    const saver = new PostgresSaver(source, undefined, options);
    this.#ends.push(() => saver.end());
    return saver;
  }

  /** A pool that outlives the loss of its connections. */
  pool(options: pg.PoolConfig): pg.Pool {
    const pool = new pg.Pool(options);
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    return this.track(pool);
  }

  /** A pool as it is, without a listener for its errors. */
  track<AnyPool extends pg.Pool>(pool: AnyPool): AnyPool {
    this.#ends.push(() => pool.end());
    return pool;
  }

  /** What was opened last, such as the saver on a pool, is closed first. */
  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }
}
