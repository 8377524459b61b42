import { codeOf } from "../errors/thrown.js";
import { CheckpointError, ConnectionError, DatabaseError } from "../errors/index.js";

/** An error, safe to show to anyone who reads logs and traces. */
export interface ErrorDescription {
  /** The code of a CheckpointError, or the name of any other error's class. */
  readonly type: string;
  /** The five-character SQLSTATE, where the server sent one. */
  readonly sqlState: string | undefined;
  /** Contains no values: the server's message where it can't quote any, else the kind of error. */
  readonly message: string;
}

/**
 * SQLSTATE classes whose messages may quote data: data exceptions, constraints, and errors raised by
 * triggers.
 */
const QUOTING_CLASSES = new Set(["22", "23", "44", "P0"]);

/** Describes an error without anything that was stored, sent or read, and without text from the caller. */
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

/** Adds the operating system's code. The message of the cause may contain anything. */
function withCode(text: string, cause: unknown): string {
  const code = codeOf(cause);
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

/** The stack frames of an error, without the message before them. */
export function framesOf(error: unknown): string | undefined {
  try {
    if (typeof error !== "object" || error === null || !("stack" in error) || !("message" in error))
      return undefined;
    const { stack, message } = error;
    if (typeof stack !== "string" || typeof message !== "string") return undefined;
    const at = stack.indexOf(message);
    // A stack with an unusual beginning may contain the message anywhere.
    if (at === -1 || at > stack.indexOf("\n")) return message === "" ? stack : undefined;
    return stack.slice(at + message.length).trimStart();
  } catch {
    return undefined;
  }
}
