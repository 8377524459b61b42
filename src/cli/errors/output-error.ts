import { getSystemErrorMap } from "node:util";
import { codeOf } from "../../errors/error-code.js";
import { CheckpointError } from "../../errors/index.js";

/** A file or stream that can't be written, such as one on a full disk. */
export class OutputError extends CheckpointError {
  /**
   * @param output - The name of the file or stream.
   * @param cause - What the operating system says.
   */
  constructor(output: string, cause: unknown) {
    super("OUTPUT_FAILED", `can't write ${output}: ${reasonOf(cause)}`, { cause });
  }
}

/** Whoever read the output has read enough, as `head` does. Nothing is to be said of it. */
export class ClosedPipeError extends CheckpointError {
  constructor() {
    super("CLOSED_PIPE", "nobody reads the output any more");
  }
}

/** The error of a write, to be thrown. */
export function outputError(output: string, cause: unknown): CheckpointError {
  return isClosedPipe(cause) ? new ClosedPipeError() : new OutputError(output, cause);
}

/** Whether a write failed because nobody reads any more. */
export function isClosedPipe(error: unknown): boolean {
  return codeOf(error) === "EPIPE";
}

/** The operating system's own words: those of Node begin with a code, and end with the name of a system call. */
function reasonOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const known = "errno" in error ? getSystemErrorMap().get(Number(error.errno)) : undefined;
  return known?.[1] ?? ("message" in error ? String(error.message) : "unknown reason");
}
