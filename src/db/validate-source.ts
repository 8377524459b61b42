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
 * Refuses pool options that `pg` would only check when it first connects, and those that it would parse
 * wrongly: it would look up a host, or ask the server for a database, whose name contains the password.
 *
 * @throws InvalidConfigError that does not quote the options.
 */
export function refusePoolOptions(options: pg.PoolConfig): void {
  const { connectionString = "" } = options;
  // pg treats an empty one as missing.
  if (connectionString !== "") refuse(connectionStringFault(connectionString));
  const { host, port, database = "" } = clientLike(options);
  const isPort = Number.isInteger(port) && port >= 0 && port <= 65_535;
  if (typeof host !== "string" || !isHost(host) || !isPort) {
    throw new InvalidConfigError("source", "invalid host or port");
  }
  if (mayQuoteCredentials(database)) {
    throw new InvalidConfigError("source", "the database name must not be a connection string");
  }
}

const CONNECTION_PROBLEM =
  "must not be a connection of a driver that is not compatible with pg. Pass a pg.Pool, a pg.Client, or a Kysely on the driver";

const TRANSACTION_PROBLEM =
  "must not be a transaction of PGlite. Pass the PGlite; for calls in a transaction of yours, pass a Transaction of a Kysely on it, " +
  "with Kysely's PGliteDialect";

/**
 * Refuses an object that sends queries, instead of the options of a pool. It looks at what the object does: a client may come from
 * another copy of `pg`.
 *
 * @throws InvalidConfigError that says what to pass instead.
 */
export function refuseConnection(source: object): void {
  const does = (name: string): boolean => typeof Reflect.get(source, name) === "function";
  if (does("query") && does("rollback")) throw new InvalidConfigError("source", TRANSACTION_PROBLEM);
  if (does("query") || does("connect")) throw new InvalidConfigError("source", CONNECTION_PROBLEM);
}

/**
 * Refuses a connection string for PGlite that is the address of a server.
 *
 * @throws InvalidConfigError that does not quote the connection string.
 */
export function refusePGliteUrl(url: string): void {
  refuse(pgliteUrlFault(url));
}

function refuse(fault: ConnectionStringFault | undefined): void {
  if (fault === undefined) return;
  throw new InvalidConfigError("source", `the connection string could not be parsed: ${fault}`);
}
