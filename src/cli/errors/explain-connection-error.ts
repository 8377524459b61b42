import { types } from "node:util";
import { CheckpointError, DatabaseError } from "../../errors/index.js";

/** What to do about what the operating system or the TLS library says. */
const BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, "start the server, or correct host and port: nobody listens there"],
  [/^ENOENT$/, "start the server, or correct the folder of its socket: nobody listens there"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "correct the host: its name is not known here"],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    "look for a firewall, a security group or a VPN between here and the server",
  ],
  [
    /^(?:ERR_TLS_CERT_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/,
    "name the authority that signed the server's certificate by sslrootcert, and the host as the certificate does",
  ],
];

/** What to do about what the server or a pooler says. */
const BY_STATE: Readonly<Record<string, string>> = {
  "28P01": "correct user and password",
  "28000": "correct the user, add sslmode=require, or let the user in by pg_hba.conf",
  "3D000": "correct the database's name, or create it",
  "42501": "have its owner grant connect on the database to this role",
  "53300": "make the pools of services smaller, put a pooler before the server, or raise max_connections",
  "57P03": "wait: the server is starting, stopping or recovering",
  "08P01":
    "leave out options that the pooler does not take, or let it ignore them by ignore_startup_parameters",
};

const ANY =
  "look whether host, port and TLS (sslmode) are right, and whether anything between lets it through";

/** The error that says why there is no connection, with what to do about it; any other error as it is. */
export function explainNoConnection(error: unknown): unknown {
  // What comes from no server and no system, such as that a folder is in use, says itself what to do.
  if (!(error instanceof DatabaseError) || error.cause === undefined) return error;
  const remedy = remedyFor(error);
  return new CheckpointError(error.code, `${error.message}; ${remedy}`, { cause: error });
}

function remedyFor(error: DatabaseError): string {
  const known = error.sqlState === undefined ? undefined : BY_STATE[error.sqlState];
  if (known !== undefined) return known;
  const codes = codesOf(error.cause);
  return BY_CODE.find(([pattern]) => codes.some((code) => pattern.test(code)))?.[1] ?? ANY;
}

/** A name with several addresses fails with several errors in one. */
function codesOf(cause: unknown): string[] {
  if (!types.isNativeError(cause)) return [];
  const own = "code" in cause && typeof cause.code === "string" ? [cause.code] : [];
  const inner: readonly unknown[] = "errors" in cause && Array.isArray(cause.errors) ? cause.errors : [];
  return [...own, ...inner.flatMap(codesOf)];
}
