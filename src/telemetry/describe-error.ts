import { CheckpointError, ConnectionError, DatabaseError } from "../errors/index.js";

/** An error as it may be shown to anybody who reads logs and traces. */
export interface ErrorDescription {
  /** The code of an error of ours, the name of the class of any other. */
  readonly type: string;
  /** The five-character SQLSTATE, where the server sent one. */
  readonly sqlState: string | undefined;
  /** Free of values: the server's own words where these can't quote any, else what kind of error it is. */
  readonly message: string;
}

/** Classes of SQLSTATE whose messages may quote data: data exceptions, constraints, and what triggers raise. */
const QUOTING_CLASSES = new Set(["22", "23", "44", "P0"]);

/** Describes an error without anything that was stored, sent or read, and without anything a caller made up. */
export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof CheckpointError)) {
    const type = nameOf(error);
    return { type, sqlState: undefined, message: type };
  }
  const sqlState = error instanceof DatabaseError ? error.sqlState : undefined;
  return { type: error.code, sqlState, message: messageOf(error, sqlState) };
}

function messageOf(error: CheckpointError, sqlState: string | undefined): string {
  if (sqlState !== undefined) {
    return QUOTING_CLASSES.has(sqlState.slice(0, 2)) ? `SQLSTATE ${sqlState}` : error.message;
  }
  if (error instanceof ConnectionError) return withCode("no connection to the database", error.cause);
  const channel = error.channel === undefined ? "" : ` in channel "${error.channel}"`;
  return `${error.code}${channel}`;
}

/** The operating system's code says what is wrong with a connection; the text may come from anywhere. */
function withCode(text: string, cause: unknown): string {
  const code: unknown =
    typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]+$/.test(code) ? `${text} (${code})` : text;
}

function nameOf(error: unknown): string {
  try {
    return error instanceof Error || (typeof error === "object" && error !== null && "name" in error)
      ? String(error.name)
      : typeof error;
  } catch {
    return "Error";
  }
}

/** The frames of an error, without its message, which stands in front of them. */
export function framesOf(error: unknown): string | undefined {
  try {
    if (typeof error !== "object" || error === null || !("stack" in error) || !("message" in error))
      return undefined;
    const { stack, message } = error;
    if (typeof stack !== "string" || typeof message !== "string") return undefined;
    const at = stack.indexOf(message);
    // A stack that does not begin as usual may have the message anywhere.
    if (at === -1 || at > stack.indexOf("\n")) return message === "" ? stack : undefined;
    return stack.slice(at + message.length).trimStart();
  } catch {
    return undefined;
  }
}
