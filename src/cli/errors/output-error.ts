import { getSystemErrorMap } from "node:util";
import { codeOf } from "../../errors/thrown.js";
import { CheckpointError } from "../../errors/index.js";
import { EXIT_CODE } from "../command-io.js";

/** A write to a file or stream failed, for example because the disk is full. */
export class OutputError extends CheckpointError {
  override name = "OutputError";
  /**
   * @param output - The name of the file or stream.
   * @param cause - The error of the operating system.
   */
  constructor(output: string, cause: unknown) {
    super("OUTPUT_FAILED", `can't write ${output}: ${reasonOf(cause)}`, { cause });
  }
}

/** The reader of the output closed it, as `head` does. Not reported to the user. */
export class ClosedPipeError extends CheckpointError {
  override name = "ClosedPipeError";
  constructor() {
    super("CLOSED_PIPE", "the reader closed the output");
  }
}

/** Returns the error to throw for a failed write. */
export function outputError(output: string, cause: unknown): CheckpointError {
  return isClosedPipe(cause) ? new ClosedPipeError() : new OutputError(output, cause);
}

/** Whether a write failed because the reader closed the pipe. */
export function isClosedPipe(error: unknown): boolean {
  return codeOf(error) === "EPIPE";
}

/** The message of the operating system. Node's own message would add an error code and the name of a system call. */
function reasonOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const known = "errno" in error ? getSystemErrorMap().get(Number(error.errno)) : undefined;
  return known?.[1] ?? ("message" in error ? String(error.message) : "unknown reason");
}

interface StandardStream {
  on(event: "error", listener: (error: Error) => void): unknown;
  write(text: string): unknown;
}

/** The parts of a process that {@link handleOutputErrors} uses. `process` fits. */
export interface OutputProcess {
  readonly stdout: StandardStream;
  readonly stderr: StandardStream;
  exitCode?: number | string | null | undefined;
  once(event: "exit", listener: () => void): unknown;
}

/**
 * Reports output that can't be written: one line on standard error, and an exit code that is not 0, so that truncated output
 * does not look complete. A reader that closes the pipe, as `head` does, is not an error.
 */
export function handleOutputErrors(process: OutputProcess): void {
  let failed = false;
  process.stdout.on("error", (error) => {
    if (failed || isClosedPipe(error)) return;
    failed = true;
    process.stderr.write(`error: ${new OutputError("standard output", error).message}\n`);
  });
  process.stderr.on("error", (error) => {
    failed ||= !isClosedPipe(error);
  });
  process.once("exit", () => {
    if (failed && Number(process.exitCode ?? 0) === 0) process.exitCode = EXIT_CODE.no;
  });
}
