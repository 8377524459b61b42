import { MAX_TIMER_MS } from "../async/timers.js";
import { pause } from "../async/retry.js";

/** What tells a schedule the time. */
export interface Clock {
  /** The time in milliseconds, from any beginning. It never goes back. */
  readonly now: () => number;
  /** Resolves after a time, or as soon as the signal aborts. It doesn't keep the process running. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The clock of the process. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  pause: (ms, signal) => pause(Math.min(ms, MAX_TIMER_MS), { signals: [signal], isBackground: true }),
};
