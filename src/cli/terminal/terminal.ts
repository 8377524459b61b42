import { createInterface } from "node:readline";
import { InvalidConfigError } from "../../errors/index.js";
import type { CommandIO } from "../command-io.js";
import { type Progress, startProgress } from "./progress.js";
import { StreamWriter } from "./stream-writer.js";

/** The input and output of a command, besides its report. */
export interface Terminal {
  /**
   * Asks a yes-or-no question. Any answer but `y` and `yes` means no.
   *
   * @throws InvalidConfigError if standard input is not a terminal.
   */
  confirm(question: string): Promise<boolean>;
  /** Shows the progress of long work, if standard error is a terminal. */
  progress(what: string, total?: number): Progress;
  /** Writes output that is too long for a report to standard output, and waits while its reader is slow. */
  write(text: string): Promise<void>;
  /** The width of the terminal; `undefined` if standard output is not a terminal. */
  readonly columns: number | undefined;
  /** Standard input; `undefined` if there is none. */
  readonly stdin: CommandIO["stdin"];
}

/** @param json - Whether a program reads standard output. Progress is not shown then. */
export function openTerminal(io: CommandIO, json: boolean): Terminal {
  const output = new StreamWriter(io.stdout, io.signal);
  return {
    stdin: io.stdin,
    columns: io.stdout.isTTY === true ? io.stdout.columns : undefined,
    confirm: (question) => confirm(question, io),
    progress: (what, total) => startProgress(io, json, what, total),
    write: (text) => output.write(text),
  };
}

async function confirm(question: string, { stdin, stderr, signal }: CommandIO): Promise<boolean> {
  if (stdin?.isTTY !== true) {
    throw new InvalidConfigError("--yes", "required, because standard input is not a terminal to confirm on");
  }
  stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin, terminal: false });
  const stop = (): void => {
    lines.close();
  };
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const answer = await new Promise<string>((resolve) => {
      lines.once("line", resolve);
      lines.once("close", () => {
        resolve("");
      });
    });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    signal?.removeEventListener("abort", stop);
    lines.close();
  }
}
