import { onAbort } from "./on-abort.js";
import { unref } from "./unref.js";

/** What ends a pause early, and whether somebody waits for it. */
export interface PauseOptions {
  readonly signals: readonly (AbortSignal | undefined)[];
  /** Whether the process may end meanwhile. Default: false. */
  readonly isBackground?: boolean;
}

/** Resolves after a time, or as soon as one of the signals aborts. It leaves no timer and no listener. */
export async function pause(ms: number, { signals, isBackground = false }: PauseOptions): Promise<void> {
  if (signals.some((signal) => signal?.aborted === true)) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, ms);
    if (isBackground) unref(timer);
    const stops = signals.map((signal) => onAbort(signal, end));
    function end(): void {
      clearTimeout(timer);
      for (const stop of stops) stop();
      resolve();
    }
  });
}
