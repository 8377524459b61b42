import pg from "pg";
import type { DatabaseAddress } from "../../telemetry/logger.js";
import { maskError, createRedactor } from "../../telemetry/redactor.js";
import { isHost, mayQuoteCredentials, hasUserWithoutPassword } from "./connection-string.js";

/**
 * Where the connections of a pool lead, as `pg` derives it from the pool's options and the environment.
 * Nothing is sent.
 */
export function addressOfPool(pool: pg.Pool): DatabaseAddress {
  try {
    const { host, port, user, database = "" } = clientLike(pool.options);
    if (!isHost(host) || mayQuoteCredentials(database)) return {};
    // Without a database name, pg uses the user's name.
    const isHidden = database === user && userMayContainPassword(pool.options);
    return { host, port, database: isHidden ? undefined : database };
  } catch {
    return {};
  }
}

/** Creates a client without connecting it, which shows what `pg` derives from the options. */
export function clientLike(options: pg.ClientConfig): pg.Client {
  const seen = { ...options };
  // The pool makes this property non-enumerable.
  if (options.password !== undefined) seen.password = options.password;
  // A function of the application that opens sockets: pg must not call it here.
  delete seen.stream;
  return new pg.Client(seen);
}

/**
 * Masks the password of a pool in an error of connecting, and the user where it may contain the password.
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
    if (userMayContainPassword(options)) return [user];
    // A password that equals a public name is no secret.
    return typeof password === "string" && ![user, host, database].includes(password) ? [password] : [];
  } catch {
    return [];
  }
}

/** Where the colon between user and password is missing, the user's name contains the password. */
function userMayContainPassword({ connectionString, password }: pg.ClientConfig): boolean {
  return connectionString !== undefined && password === undefined && hasUserWithoutPassword(connectionString);
}
