import pg from "pg";
import type { DatabaseAddress } from "../../telemetry/database-address.js";
import { maskError } from "../../telemetry/mask-error.js";
import { createRedactor } from "../../telemetry/redactor.js";
import { isHost, mayQuoteCredentials, hasUserWithoutPassword } from "./connection-string.js";

/** Where the connections of a pool go, as `pg` makes it out of its options and the environment. Nothing is sent. */
export function addressOfPool(pool: pg.Pool): DatabaseAddress {
  try {
    const { host, port, user, database = "" } = clientLike(pool.options);
    if (!isHost(host) || mayQuoteCredentials(database)) return {};
    // Without a name the database is called as the user.
    const isHidden = database === user && mayHidePassword(pool.options);
    return { host, port, database: isHidden ? undefined : database };
  } catch {
    return {};
  }
}

/** A client that is not connected, to see what `pg` makes out of options. */
export function clientLike(options: pg.ClientConfig): pg.Client {
  const seen = { ...options };
  // The pool hides it from enumeration.
  if (options.password !== undefined) seen.password = options.password;
  // A function of the owner's that opens connections, which must not be called for this.
  delete seen.stream;
  return new pg.Client(seen);
}

/**
 * Masks the password of a pool in an error that a connection of it could not be made with, and a user that may be one.
 *
 * @returns The same error.
 */
export function withoutCredentials(error: unknown, pool: pg.Pool): unknown {
  maskError(error, redactorFor(pool.options));
  return error;
}

function redactorFor(options: pg.ClientConfig): (text: string) => string {
  const { connectionString } = options;
  return createRedactor(connectionString === undefined ? [] : [connectionString], secretsOf(options));
}

function secretsOf(options: pg.ClientConfig): string[] {
  try {
    const { user = "", host, database, password } = clientLike(options);
    if (mayHidePassword(options)) return [user];
    // A password that is also the name of something is no secret.
    return typeof password === "string" && ![user, host, database].includes(password) ? [password] : [];
  } catch {
    return [];
  }
}

/** Where the colon between user and password is missing, the password is a part of the user's name. */
function mayHidePassword({ connectionString, password }: pg.ClientConfig): boolean {
  return connectionString !== undefined && password === undefined && hasUserWithoutPassword(connectionString);
}
