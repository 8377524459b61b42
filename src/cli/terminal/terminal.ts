import { createInterface } from "node:readline";
import { InvalidConfigError } from "../../errors/index.js";
import type { CommandIO, OutputStream } from "../command-io.js";
import { StreamWriter } from "./stream-writer.js";
import { SingleBar } from "cli-progress";

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

/** The progress display of long work. */
export interface Progress {
  /**
   * @param done - How much of the total is done.
   * @param note - A text beside the bar.
   */
  update(done: number, note: string): void;
  /** Removes the display from the screen. */
  stop(): void;
}

const NO_PROGRESS: Progress = { update: () => undefined, stop: () => undefined };

/** Shows a progress bar on standard error, if that is a terminal. Without a `total`, it shows only the note. */
export function startProgress(
  { stderr, env }: Pick<CommandIO, "stderr" | "env">,
  json: boolean,
  what: string,
  total?: number,
): Progress {
  if (json || env.TERM === "dumb" || !isTerminal(stderr)) return NO_PROGRESS;
  const format = total === undefined ? "{what}  {note}" : "{what} [{bar}] {percentage}%  {note}";
  const bar = new SingleBar({
    ...{ stream: stderr, format, hideCursor: null, gracefulExit: false },
    ...{ clearOnComplete: true, fps: 10, barCompleteChar: "█", barIncompleteChar: "░" },
  });
  bar.start(Math.max(total ?? 1, 1), 0, { what, note: "" });
  return {
    update: (done, note) => {
      bar.update(total === undefined ? 0 : Math.min(done, total), { what, note });
    },
    stop: () => {
      bar.stop();
    },
  };
}

function isTerminal(stream: OutputStream): stream is OutputStream & NodeJS.WritableStream {
  return stream.isTTY === true && stream.on !== undefined;
}
