import { jest } from "@jest/globals";

/** Returns the time in milliseconds since 1970 by the clock of the machine. */
const realNow = Date.now.bind(Date);

/**
 * Runs `work` on a clock that is ahead by some milliseconds, or behind if negative. LangGraph makes the ids of checkpoints from this
 * clock, so `work` does what another machine would do. Timers are not shifted.
 *
 * @example
 * ```ts
 * await onShiftedClock(60, () => graph.invoke(input, config)); // on a machine that is 60 ms ahead
 * ```
 */
export async function onShiftedClock<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const clock = jest.spyOn(Date, "now").mockImplementation(() => realNow() + ms);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

/** A clock that stands still until it is released. */
export interface StoppedClock {
  /** Lets the clock show the time of the machine again. */
  release(): void;
}

/** Stops the clock, so that a wait for it lasts until a test releases it, or until the bound of the wait. */
export function stopClock(atMs: number): StoppedClock {
  const clock = jest.spyOn(Date, "now").mockReturnValue(atMs);
  return {
    release: () => {
      clock.mockRestore();
    },
  };
}
