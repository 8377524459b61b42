import { setTimeout as pause } from "node:timers/promises";
import { growingPauseMs } from "../async/growing-pause.js";
import { retryTransient } from "../statements/retry-transient.js";
import { LockAttempts } from "./lock-attempts.js";
import type { EndableWait, HeldLock, TakeLock } from "./locks.js";
import type { SharedSession } from "./shared-session.js";

const PAUSES = { firstMs: 5, longestMs: 250 };
/** Only one process at a time holds the turn, so that it may poll more often. */
const PAUSES_WITH_TURN = { firstMs: 5, longestMs: 50 };

/** Takes advisory locks on a session. It polls until the lock is free. */
export function takeOnSession(shared: SharedSession): TakeLock {
  return async (key, wait) => {
    const attempts = new LockAttempts(shared, key);
    let lock: HeldLock | undefined;
    try {
      lock = await untilTaken(attempts, wait);
      return lock;
    } finally {
      if (lock === undefined) await attempts.giveUp();
    }
  };
}

async function untilTaken(
  attempts: LockAttempts,
  { deadline, signal, retry, onRetry }: EndableWait,
): Promise<HeldLock | undefined> {
  const attempt = (): Promise<HeldLock | undefined> => attempts.tryOnce(signal);
  for (let round = 0; ; round++) {
    const lock = await retryTransient(attempt, retry, { onRetry });
    if (lock !== undefined) return lock;
    const left = deadline - performance.now();
    if (left <= 0) return undefined;
    const pauseMs = growingPauseMs(round, attempts.hasTurn ? PAUSES_WITH_TURN : PAUSES);
    await pause(Math.min(left, pauseMs), undefined, { signal });
  }
}
