import { openedSaverOf } from "../../src/checkpoint-saver.js";
import type { PostgresSaver, Retention, RetentionSchedule } from "../../src/index.js";
import { parseSchedule } from "../../src/scheduled-retention/boundary/parse-schedule.js";
import { startRetention } from "../../src/scheduled-retention/start-retention.js";
import { TestClock } from "./test-clock.js";

/** A retention of a saver on a clock of its own. */
export interface ClockedRetention {
  readonly retention: Retention;
  readonly clock: TestClock;
  /** Lets the next round begin, and waits until it has ended. For retentions that don't pause within a round. */
  readonly round: () => Promise<void>;
}

/** The time between two rounds, in milliseconds. */
export const EVERY = 60_000;

/** Starts a retention as `startRetention` of the saver does. */
export function startClocked(
  saver: PostgresSaver,
  options: Omit<RetentionSchedule, "every">,
): ClockedRetention {
  const clock = new TestClock();
  const request = parseSchedule({ every: EVERY, maxRowsPerSecond: Infinity, ...options });
  const retention = startRetention(openedSaverOf(saver).call, request, { clock, onStopped: () => undefined });
  const round = async (): Promise<void> => {
    await clock.endPause();
    await clock.untilPaused();
  };
  return { retention, clock, round };
}
