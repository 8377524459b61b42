import { ConnectionError, DatabaseError, InvalidConfigError, PermissionError } from "../../errors/index.js";
import { codeOf } from "../../errors/error-code.js";
import { toDatabaseError } from "../../db/to-database-error.js";

/** The words that an error of the server begins with, by what they mean. */
const DENIED = new Set(["NOAUTH", "WRONGPASS", "NOPERM"]);
/** The server is starting, or waits for a failover. */
const NOT_READY = new Set(["LOADING", "MASTERDOWN", "CLUSTERDOWN"]);
const TRANSIENT = new Set(["READONLY", "TRYAGAIN", "BUSY", "NOREPLICAS"]);
/** The key belongs to another server of a cluster. */
const ELSEWHERE = new Set(["MOVED", "ASK"]);

/**
 * Returns the first word of an error that the server has sent, such as `WRONGTYPE`: Redis has no other codes. Returns `undefined` for any
 * other error. An error of Node has a code of its own.
 */
export function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || codeOf(error) !== undefined) return undefined;
  return /^-?([A-Z]{2,})(?= |$)/.exec(error.message)?.[1];
}

/**
 * Converts an error of a Redis client to an error of this library. It decides by the code of the server and by those of the operating
 * system, never by other text. It returns an error of this library, or a programming mistake, unchanged.
 *
 * @param key - The first key of the command.
 */
export function toRedisError(error: unknown, key: string | undefined): Error {
  const code = replyCode(error);
  if (code === undefined || !(error instanceof Error)) return toDatabaseError(error);
  const options = { cause: error };
  if (code === "WRONGTYPE") return wrongTypeError(key, options);
  if (code === "CROSSSLOT") {
    const advice =
      'needs a part in braces in a cluster, such as "{langgraph}:", so that one server has all keys';
    return new InvalidConfigError("options.prefix", advice, options);
  }
  if (ELSEWHERE.has(code)) {
    const advice =
      "another server of the cluster has the keys: connect to that one, or pass a client of ioredis";
    return new DatabaseError(`${advice} (${error.message})`, options);
  }
  if (DENIED.has(code)) return new PermissionError(error.message, options);
  if (NOT_READY.has(code)) return new ConnectionError(error.message, options);
  return new DatabaseError(error.message, { ...options, transient: TRANSIENT.has(code) });
}

/** The error for a key that holds something else, such as the set of an early langgraphgo. */
export function wrongTypeError(
  key = "a key",
  options: { readonly cause?: unknown } = {},
): InvalidConfigError {
  const problem = `another program, or a langgraphgo before version 0.8.3, has stored a value of another type at the key "${key}"; use another prefix, to which \`store-copy\` copies checkpoints`;
  return new InvalidConfigError("options.prefix", problem, options);
}
