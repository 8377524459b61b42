import { types } from "node:util";
import { CheckpointError, ConnectionError, DatabaseError, PermissionError } from "../../errors/index.js";
import { codeOf } from "../../errors/thrown.js";

/** SQLite's result codes, by the name that better-sqlite3 gives them, as far as they decide about the kind of an error. */
const RESULTS = {
  ERROR: 1,
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  PROTOCOL: 15,
  AUTH: 23,
} as const;

/** Another connection holds a lock. */
const TRANSIENT: ReadonlySet<number> = new Set([RESULTS.BUSY, RESULTS.LOCKED, RESULTS.PROTOCOL]);
const FORBIDDEN: ReadonlySet<number> = new Set([RESULTS.PERM, RESULTS.READONLY, RESULTS.AUTH]);

/** The driver's code for a database that has been closed. */
const CLOSED = "ERR_INVALID_STATE";

/**
 * Converts an error of a driver for SQLite to an error of this library. It decides by the result code of SQLite, never by the text of the
 * message. An error of this library stays as it is.
 *
 * @param path - The file that could not be opened.
 */
export function toSqliteError(error: unknown, path?: string): Error {
  if (error instanceof CheckpointError) return error;
  const reason = types.isNativeError(error) || error instanceof Error ? error.message : String(error);
  const message = path === undefined ? reason : `"${path}" can't be opened: ${reason}`;
  const result = resultOf(error);
  if (result === undefined && codeOf(error) === CLOSED) {
    return new ConnectionError(message, { cause: error, transient: false });
  }
  const described = result === undefined ? message : `${message} (SQLite's result code ${result})`;
  if (result !== undefined && FORBIDDEN.has(result)) return new PermissionError(described, { cause: error });
  return new DatabaseError(described, {
    cause: error,
    transient: result !== undefined && TRANSIENT.has(result),
  });
}

/** Whether SQLite did not understand a statement: a table or a column may be missing. */
export function isMisunderstood(error: unknown): boolean {
  return resultOf(error) === RESULTS.ERROR;
}

/** SQLite's result code without what extends it; `undefined` for an error that is not of SQLite. */
function resultOf(error: unknown): number | undefined {
  // node:sqlite has the number, better-sqlite3 the name.
  const number: unknown =
    typeof error === "object" && error !== null ? Reflect.get(error, "errcode") : undefined;
  if (typeof number === "number") return number & 0xff;
  const [, name = ""] = /^SQLITE_([A-Z]+)/.exec(String(codeOf(error))) ?? [];
  return Object.entries(RESULTS).find(([known]) => known === name)?.[1];
}
