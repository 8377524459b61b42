import type pg from "pg";
import { InvalidConfigError } from "../errors/index.js";
import {
  type ConnectionStringFault,
  connectionStringFault,
  isHost,
  mayQuoteCredentials,
} from "./pool/connection-string.js";
import { pgliteUrlFault } from "./pglite/pglite-url.js";
import { clientLike } from "./pool/pool-address.js";

/**
 * Refuses what `pg` would look at only when the first connection is made, and what it would take apart wrongly: it asks the
 * network for a host, or the server for a database, that have the password in their names.
 *
 * @throws InvalidConfigError without a word of what is refused.
 */
export function refusePoolOptions(options: pg.PoolConfig): void {
  const { connectionString = "" } = options;
  // pg takes an empty one for none.
  if (connectionString !== "") refuse(connectionStringFault(connectionString));
  const { host, port, database = "" } = clientLike(options);
  const isPort = Number.isInteger(port) && port >= 0 && port <= 65_535;
  if (typeof host !== "string" || !isHost(host) || !isPort) {
    throw new InvalidConfigError("source", "has a host or a port that is none");
  }
  if (mayQuoteCredentials(database)) {
    throw new InvalidConfigError("source", "has a connection string for the name of the database");
  }
}

/**
 * Refuses a connection string for PGlite that is the address of a server.
 *
 * @throws InvalidConfigError without a word of what is refused.
 */
export function refusePGliteUrl(url: string): void {
  refuse(pgliteUrlFault(url));
}

function refuse(fault: ConnectionStringFault | undefined): void {
  if (fault === undefined) return;
  throw new InvalidConfigError("source", `the connection string could not be parsed: ${fault}`);
}
