/** Returns the `code` of an error of pg or Node. An error from the server has its SQLSTATE as code. */
export function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
