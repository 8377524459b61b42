import pg from "pg";
import type { DatabaseAddress } from "../telemetry/database-address.js";

/** Where the connections of a pool go, as `pg` makes it out of its options and the environment. Nothing is sent. */
export function addressOfPool(pool: pg.Pool): DatabaseAddress {
  try {
    const options: pg.ClientConfig = { ...pool.options };
    // A function of the owner's that opens connections, which must not be called for this.
    delete options.stream;
    const { host, port, database } = new pg.Client(options);
    return { host, port, database };
  } catch {
    return {};
  }
}
