import { isClosedPipe, OutputError } from "../errors/output-error.js";
import { EXIT_CODE } from "../exit-code.js";

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
