import { outsideCalls } from "./outside-calls.js";
import type { RunningCall } from "./running-call.js";

/** A call waits too long after this time: later than the retries of one statement end by default. In milliseconds. */
export const TOO_LONG_MS = 20_000;

/** The shortest pause between two looks at the calls, in milliseconds. */
const LOOK_MS = 1_000;

/**
 * The calls of a saver that have not settled. One timer looks for those that wait too long. It is set when a call begins, looks again
 * while there are calls, and does not keep the process alive.
 */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>();
  readonly #onLate: (call: RunningCall, waitedMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #looksAt = -Infinity;

  /** @param onLate - Called once for each wait that is too long. */
  constructor(onLate: (call: RunningCall, waitedMs: number) => void) {
    this.#onLate = onLate;
  }

  add(call: RunningCall): void {
    this.#calls.add(call);
    // Cloudflare Workers drop the timers of a request that is over: one that is overdue is set again.
    if (this.#looksAt === -Infinity) this.#lookAfter(TOO_LONG_MS);
    else if (call.since > this.#looksAt + LOOK_MS) this.#lookAfter(0);
  }

  delete(call: RunningCall): void {
    this.#calls.delete(call);
  }

  /** Those that wait too long, the longest wait first. */
  late(): RunningCall[] {
    const longest = performance.now() - TOO_LONG_MS;
    return [...this.#calls].filter(({ since }) => since <= longest).sort((a, b) => a.since - b.since);
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#looksAt = performance.now() + ms;
    // The timer looks at the calls of all callers.
    this.#timer = outsideCalls(() =>
      setTimeout(() => {
        this.#look();
      }, ms),
    );
    // There it is a number.
    const timer: { unref?: () => unknown } = this.#timer;
    timer.unref?.();
  }

  #look(): void {
    this.#looksAt = -Infinity;
    const now = performance.now();
    for (const call of this.late())
      if (!call.isReported)
        call.inItsContext(() => {
          this.#onLate(call, now - call.since);
        });
    if (this.#calls.size === 0) return;
    let next = now;
    for (const { since, isReported } of this.#calls) if (!isReported) next = Math.min(next, since);
    this.#lookAfter(Math.max(LOOK_MS, next + TOO_LONG_MS - now));
  }
}
