import type { OfflineContext } from "../command-definition.js";
import type { Progress } from "../terminal/terminal.js";
import { CheckpointError } from "../../errors/index.js";
import { pace } from "../output/format-numbers.js";

/** Work that takes long: what the terminal shows of it, and what an interrupt leaves. */
interface LongWork<State, Result> {
  /** What is done, such as `importing`. */
  readonly what: string;
  /** What {@link show} counts to. A function where the work itself finds it out. Default: it is not known. */
  readonly total?: number | ((state: State) => number | undefined) | undefined;
  /** How much is done, and a text beside it. How fast that is follows the text. */
  readonly show: (state: State) => readonly [done: number, note: string];
  /**
   * Describes what was done when the user interrupts it, such as `deleted 12 threads`.
   *
   * @param last - The last progress; `undefined` before the first one.
   */
  readonly interrupted: (last: State | undefined) => string;
  /** Does the work, and tells its progress to the listener. */
  readonly run: (onProgress: (state: State) => void) => Promise<Result>;
}

/**
 * Runs work that takes long. It shows the progress, and removes it when the work ends.
 *
 * @throws CheckpointError with the code `ABORTED` if the user has interrupted it; otherwise whatever the work throws.
 */
export async function runLongWork<State, Result>(
  { signal, terminal }: Pick<OfflineContext, "signal" | "terminal">,
  { what, total, show, interrupted, run }: LongWork<State, Result>,
): Promise<Result> {
  let counted = typeof total === "function" ? undefined : total;
  let bar: Progress | undefined = typeof total === "function" ? undefined : terminal.progress(what, total);
  const began = performance.now();
  let last: State | undefined;
  const onProgress = (state: State): void => {
    last = state;
    if (bar === undefined && typeof total === "function") counted = total(state);
    bar ??= terminal.progress(what, counted);
    const [done, note] = show(state);
    bar.update(done, note + pace(done, counted, performance.now() - began));
  };
  try {
    return await runInterruptible(
      signal,
      () => interrupted(last),
      () => run(onProgress),
    );
  } finally {
    bar?.stop();
  }
}

/** Runs work without progress that the user may interrupt; see {@link runLongWork}. */
export async function runInterruptible<T>(
  signal: AbortSignal,
  interrupted: () => string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CheckpointError("ABORTED", `interrupted: ${interrupted()}`, { cause: error });
  }
}
