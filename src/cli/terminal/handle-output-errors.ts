import { EXIT_CODE } from "../exit-code.js";
import { isClosedPipe, OutputError } from "../errors/output-error.js";

interface StandardStream {
  on(event: "error", listener: (error: Error) => void): unknown;
  write(text: string): unknown;
}

/** What {@link guardOutput} needs of a process; `process` fits. */
export interface OutputProcess {
  readonly stdout: StandardStream;
  readonly stderr: StandardStream;
  exitCode?: number | string | null | undefined;
  once(event: "exit", listener: () => void): unknown;
}

/**
 * Has a process tell of output that can't be written, in one line and by its exit code, since output that is cut short must
 * not look complete. A reader who has read enough, as `head` does, is no error.
 */
export function guardOutput(process: OutputProcess): void {
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
