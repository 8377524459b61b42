/** The code of an error, as pg and Node name it: of one that the server sent its SQLSTATE. */
export function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
