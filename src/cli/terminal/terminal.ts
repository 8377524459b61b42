import { createInterface } from "node:readline";
import { InvalidConfigError } from "../../errors/index.js";
import type { CommandIO } from "../command-io.js";
import { PacedOutput } from "./stream-writer.js";
import { type Progress, startProgress } from "./progress.js";

/** How a command talks with whoever has called it, beside its report. */
export interface Terminal {
  /**
   * Asks a question that is answered by `y` or `n`; anything else is taken for no.
   *
   * @throws InvalidConfigError where nobody can be asked.
   */
  confirm(question: string): Promise<boolean>;
  /** Shows how far long work is, where a person is looking. */
  progress(what: string, total?: number): Progress;
  /** Writes to standard output what is too long for a report, no faster than it is read. */
  write(text: string): Promise<void>;
  /** Says something beside the report, on standard error. */
  note(text: string): void;
  /** How wide a line may be; `undefined` where standard output is no terminal. */
  readonly columns: number | undefined;
  /** Standard input; `undefined` where there is none. */
  readonly stdin: CommandIO["stdin"];
}

/** @param json - Whether standard output is for a program: then no progress is shown. */
export function openTerminal(io: CommandIO, json: boolean): Terminal {
  const output = new PacedOutput(io.stdout, io.signal);
  return {
    stdin: io.stdin,
    columns: io.stdout.isTTY === true ? io.stdout.columns : undefined,
    confirm: (question) => confirm(question, io),
    progress: (what, total) => startProgress(io, json, what, total),
    write: (text) => output.write(text),
    note: (text) => io.stderr.write(`${text}\n`),
  };
}

async function confirm(question: string, { stdin, stderr, signal }: CommandIO): Promise<boolean> {
  if (stdin?.isTTY !== true) {
    throw new InvalidConfigError("--yes", "is needed here, where nobody can be asked whether to go on");
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
