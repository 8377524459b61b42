import pg from "pg";
import type { DatabaseSource } from "../../src/db/opened-database.js";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";

/** The savers and pools that a test opens, to be closed when it has ended. */
export class Opened {
  readonly #ends: (() => Promise<unknown>)[] = [];

  saver(source: DatabaseSource, options?: PostgresSaverOptions): PostgresSaver {
    return this.track(new PostgresSaver(source, undefined, options));
  }

  /** A pool that outlives the loss of its connections. */
  pool(options: pg.PoolConfig): pg.Pool {
    const pool = new pg.Pool(options);
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    return this.track(pool);
  }

  /** A pool as it is, without a listener for its errors, or a saver that the test has opened. */
  track<Ended extends { end(): Promise<unknown> }>(opened: Ended): Ended {
    this.#ends.push(() => opened.end());
    return opened;
  }

  /** What was opened last, such as the saver on a pool, is closed first. */
  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }
}
