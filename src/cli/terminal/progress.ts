import { SingleBar } from "cli-progress";
import type { CommandIO, OutputStream } from "../command-io.js";

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
