import { inspect, types } from "node:util";
import {
  CheckpointError,
  ConnectionError,
  DatabaseError,
  type DatabaseErrorOptions,
  DiskFullError,
  InvalidConfigError,
  PermissionError,
  ReadOnlyError,
  StatementCancelledError,
} from "../errors/index.js";
import { maskError } from "../telemetry/redactor.js";
import { mayQuoteCredentials } from "./pool/connection-string.js";
import { codeOf } from "../errors/thrown.js";

/** SQLSTATE classes and codes after which the same statement may succeed. */
const TRANSIENT_CLASSES = new Set([
  "08", // connection exception
  "53", // insufficient resources: too many connections, out of memory
]);
const TRANSIENT_STATES = new Set([
  "25P03", // idle_in_transaction_session_timeout
  "40001", // serialization_failure
  "40003", // statement_completion_unknown
  "40P01", // deadlock_detected
  "55P03", // lock_not_available
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "57P05", // idle_session_timeout
]);
const CONNECTION_STATES = new Set(["25P03", "57P01", "57P02", "57P03", "57P05"]);
/** SQLSTATE classes of errors while connecting. Their messages quote users and databases. */
const CONNECTING_CLASSES = new Set(["08", "28", "3D"]);
/** Node's codes for a certificate that is not trusted. A retry would fail too. */
const CERTIFICATE_CODE =
  /^(ERR_TLS_CERT_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_GET_ISSUER_|UNABLE_TO_VERIFY_)/;
const PROGRAMMING_ERRORS = new Set(["TypeError", "RangeError", "SyntaxError", "ReferenceError"]);

/** SQLSTATEs with a class of their own, and what to do about them. */
const NAMED: Readonly<Record<string, readonly [NamedError, remedy: string]>> = {
  "25006": [ReadOnlyError, "connect to the primary, or turn default_transaction_read_only off"],
  "42501": [PermissionError, ""],
  "53100": [
    DiskFullError,
    "make room on the server: look at the sizes of its databases and at replication slots that hold back WAL",
  ],
  "57014": [
    StatementCancelledError,
    "statement_timeout is set for the role, the database or the connection, or somebody cancelled it: raise it for this role",
  ],
};
type NamedError = new (message: string, options: DatabaseErrorOptions) => DatabaseError;

/**
 * Converts a driver's error to an error of this library. This is the only place that does. It decides by
 * SQLSTATE and by the operating system's codes, never by message text. It returns an error of this library,
 * or a programming mistake, unchanged.
 */
export function toDatabaseError(error: unknown): Error {
  if (error instanceof CheckpointError) return error;
  if (!isError(error)) {
    return new DatabaseError(
      `the driver threw a value that is not an Error: ${inspect(error, { depth: 1 })}`,
      {
        cause: error,
      },
    );
  }
  const given = codeOf(error);
  const code = typeof given === "string" ? given : undefined;
  if (code === "ERR_INVALID_URL" || error.name === "URIError") {
    // Without the error as cause, which may quote the connection string.
    return new InvalidConfigError("source", "the connection string could not be parsed");
  }
  // A mistake in this library: the database has nothing to do with it, and a retry would fail too.
  if (PROGRAMMING_ERRORS.has(error.name)) return error;

  const sqlState = code !== undefined && isSqlState(code) ? code : undefined;
  // The application may have configured an invisible pool, as that of a Kysely, with a mistyped connection
  // string.
  if (sqlState === undefined || CONNECTING_CLASSES.has(sqlState.slice(0, 2))) maskError(error, withhold);
  if (sqlState !== undefined) return fromSqlState(error, sqlState);
  if (isOfFileSystem(error)) return new DatabaseError(error.message, { cause: error });
  // pg's errors of a lost connection have no code. An error from the server always has an SQLSTATE.
  const transient = !CERTIFICATE_CODE.test(code ?? "");
  return new ConnectionError(`no connection to the database: ${describe(error)}`, {
    cause: error,
    transient,
  });
}

function withhold(text: string): string {
  return mayQuoteCredentials(text) ? "message hidden: it may contain credentials" : text;
}

// Under Jest, as in any VM context, Node's own errors come from another realm.
function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}

function fromSqlState(error: Error, sqlState: string): DatabaseError {
  const message = `${error.message} (SQLSTATE ${sqlState})`;
  const named = NAMED[sqlState];
  if (named !== undefined) {
    const [kind, remedy] = named;
    return new kind(remedy === "" ? message : `${message}; ${remedy}`, { cause: error, sqlState });
  }
  const transient = TRANSIENT_STATES.has(sqlState) || TRANSIENT_CLASSES.has(sqlState.slice(0, 2));
  const options = { cause: error, sqlState, transient };
  if (sqlState.startsWith("08") || CONNECTION_STATES.has(sqlState))
    return new ConnectionError(message, options);
  return new DatabaseError(message, options);
}

// PGlite's folder can't be used. A missing socket, by contrast, belongs to a server that may start later.
function isOfFileSystem(error: Error): boolean {
  return "path" in error && "syscall" in error && error.syscall !== "connect";
}

// Node's own codes, such as EPIPE, may have five capitals as well. Every SQLSTATE has a digit.
function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
}

// When a host name has several addresses and all refuse, Node throws an AggregateError with an empty message.
function describe(error: Error): string {
  if (error.message !== "") return error.message;
  return error instanceof AggregateError ? error.errors.map(String).join("; ") : error.name;
}
