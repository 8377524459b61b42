import type { OfflineContext } from "../command-definition.js";
import { reportInterrupt } from "../errors/report-interrupt.js";
import type { Progress } from "../terminal/progress.js";

/** Work that takes long: what the terminal shows of it, and what an interrupt leaves. */
export interface LongWork<State> {
  /** What is done, such as `importing`. */
  readonly what: string;
  /** What {@link show} counts to. A function where the work itself finds it out. Default: it is not known. */
  readonly total?: number | ((state: State) => number) | undefined;
  /** How much is done, and a text beside it. */
  readonly show: (state: State) => readonly [done: number, note: string];
  /**
   * Describes what was done when the user interrupts it, such as `deleted 12 threads`.
   *
   * @param last - The last progress; `undefined` before the first one.
   */
  readonly interrupted: (last: State | undefined) => string;
}

/**
 * Runs work that takes long. It shows the progress, and removes it when the work ends.
 *
 * @param run - Gets the listener of the progress.
 * @throws CheckpointError with the code `ABORTED` if the user has interrupted it; otherwise whatever `run` throws.
 */
export async function runLongWork<State, Result>(
  { signal, terminal }: Pick<OfflineContext, "signal" | "terminal">,
  { what, total, show, interrupted }: LongWork<State>,
  run: (onProgress: (state: State) => void) => Promise<Result>,
): Promise<Result> {
  let bar: Progress | undefined = typeof total === "function" ? undefined : terminal.progress(what, total);
  let last: State | undefined;
  const onProgress = (state: State): void => {
    last = state;
    bar ??= terminal.progress(what, typeof total === "function" ? total(state) : total);
    bar.update(...show(state));
  };
  try {
    return await reportInterrupt(
      signal,
      () => run(onProgress),
      () => interrupted(last),
    );
  } finally {
    bar?.stop();
  }
}
