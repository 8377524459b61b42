import { types } from "node:util";
import { CheckpointError, DatabaseError, PermissionError } from "../../errors/index.js";

/** Remedies by the error code of the operating system or the TLS library. */
const REMEDY_BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, "start the server, or correct host and port: no server listens there"],
  [/^ENOENT$/, "start the server, or correct the folder of its socket: no server listens there"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "correct the host: its name can't be resolved"],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    "check firewalls, security groups and VPNs between this machine and the server",
  ],
  [
    /^(?:ERR_TLS_CERT_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/,
    "set sslrootcert to the certificate of the authority that signed the server's, and use the host name in that certificate",
  ],
];

/** Remedies by the SQLSTATE of the server or a pooler. */
const REMEDY_BY_STATE: Readonly<Record<string, string>> = {
  "28P01": "correct user and password",
  "28000": "correct the user, add sslmode=require, or allow the user in pg_hba.conf",
  "3D000": "correct the database name, or create the database",
  "42501": "have the owner of the database grant CONNECT on it to this role",
  "53300": "reduce the pool sizes of services, add a pooler, or raise max_connections",
  "57P03": "wait: the server is starting up, shutting down or recovering",
  "08P01":
    "remove the connection options that the pooler doesn't support, or list them in its ignore_startup_parameters",
};

const OTHER_REMEDY = "check host, port, TLS (sslmode), and firewalls in between";

/** Adds a remedy to the error of a failed connection. Returns any other error unchanged. */
export function explainConnectionError(error: unknown): unknown {
  // Without a cause, the error comes from this library, and its message already says what to do.
  if (!(error instanceof DatabaseError) || error.cause === undefined) return error;
  const remedy = remedyFor(error);
  return new CheckpointError(error.code, `${error.message}; ${remedy}`, { cause: error });
}

function remedyFor(error: DatabaseError): string {
  const known = error.sqlState === undefined ? undefined : REMEDY_BY_STATE[error.sqlState];
  if (known !== undefined) return known;
  // Redis has no SQLSTATE.
  if (error instanceof PermissionError) return "correct user and password, or extend what the user may do";
  const codes = errorCodesOf(error.cause);
  return REMEDY_BY_CODE.find(([pattern]) => codes.some((code) => pattern.test(code)))?.[1] ?? OTHER_REMEDY;
}

/** A host name with several addresses fails with an AggregateError of one error for each address. */
function errorCodesOf(cause: unknown): string[] {
  if (!types.isNativeError(cause)) return [];
  const own = "code" in cause && typeof cause.code === "string" ? [cause.code] : [];
  const inner: readonly unknown[] = "errors" in cause && Array.isArray(cause.errors) ? cause.errors : [];
  return [...own, ...inner.flatMap(errorCodesOf)];
}
