import { types } from "node:util";

/** Returns the `code` of an error of pg or Node. An error from the server has its SQLSTATE as code. */
export function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

/**
 * Returns an error for one of several callers that share one: of the same class and with the same fields, message and stack. What a caller
 * adds to it, no other one sees.
 */
export function ownErrorOf(shared: Error): Error {
  const own = new Error(shared.message);
  Object.setPrototypeOf(own, Object.getPrototypeOf(shared) as object);
  Object.defineProperties(own, Object.getOwnPropertyDescriptors(shared));
  // In newer versions of V8 this is an accessor, which would return the stack of this function.
  const stack = { value: shared.stack, writable: true, configurable: true, enumerable: false };
  return Object.defineProperty(own, "stack", stack);
}

/** Returns what one of several callers is rejected with; see {@link ownErrorOf}. */
export function ownError(shared: unknown): unknown {
  return types.isNativeError(shared) ? ownErrorOf(shared) : shared;
}

/** The message of an error; the text of whatever else was thrown. */
export function messageOfThrown(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
