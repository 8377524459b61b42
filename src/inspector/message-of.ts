import { codeOf } from "../errors/thrown.js";
import { CheckpointError, ConnectionError, DatabaseError, PermissionError } from "../errors/index.js";
import { describeError } from "../telemetry/describe-error.js";

/** SQLSTATE classes of refused connections. The server's messages name hosts, users and databases. */
const CONNECTING_CLASSES = new Set(["08", "28", "3D"]);

/**
 * Returns what the page shows of an error. Messages of our own errors are shown. Those of drivers and servers are not, where they may
 * quote a host name, a user, a path, a connection string or data.
 */
export function messageOf(error: CheckpointError): string {
  const { sqlState, message } = describeError(error);
  if (sqlState !== undefined && CONNECTING_CLASSES.has(sqlState.slice(0, 2))) {
    return `no connection to the database (SQLSTATE ${sqlState})`;
  }
  return isOfServer(error, sqlState) ? message : error.message;
}

/**
 * Returns what the page shows of an error of a graph: the words of its own code, which the thread shows as well. Others are like those of
 * {@link messageOf}.
 */
export function messageOfGraph(error: unknown): string {
  if (error instanceof ConnectionError) return `${error.name}: no connection to the database`;
  if (error instanceof CheckpointError) return `${error.name}: ${messageOf(error)}`;
  if (!(error instanceof Error)) return "it failed without an error";
  // Drivers and Node.js give a code to their errors.
  return codeOf(error) === undefined
    ? `${error.name}: ${error.message}`
    : `${error.name} of a driver or a server: see the log of the service`;
}

/** Whether the driver or the server has said what went wrong. */
function isOfServer({ constructor }: CheckpointError, sqlState: string | undefined): boolean {
  if (constructor === PermissionError) return sqlState !== undefined;
  return constructor === DatabaseError || constructor === ConnectionError;
}
