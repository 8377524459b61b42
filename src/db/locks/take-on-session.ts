import { setTimeout as pause } from "node:timers/promises";
import { retryTransient } from "../retry-transient.js";
import { LockAttempts } from "./lock-attempts.js";
import type { EndableWait, HeldLock, TakeLock } from "./locks.js";
import type { SharedSession } from "./shared-session.js";

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;
/** Only one process at a time has the turn, so that it may look more often. */
const LONGEST_PAUSE_WITH_TURN_MS = 50;

/** Takes locks on a session, against all other sessions of the database, looking again and again until they are free. */
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
    await pause(Math.min(left, pauseMs(round, attempts.hasTurn)), undefined, { signal });
  }
}

// With jitter, so that those who began together don't look together for ever.
function pauseMs(round: number, hasTurn: boolean): number {
  const longest = hasTurn ? LONGEST_PAUSE_WITH_TURN_MS : LONGEST_PAUSE_MS;
  return Math.min(longest, FIRST_PAUSE_MS * 2 ** round) * (0.5 + Math.random() / 2);
}
