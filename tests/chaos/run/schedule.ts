import { FAULTS } from "../faults/index.js";
import type { Fault } from "../faults/fault.js";
import { nowMs } from "../clock.js";
import type { Random } from "../random.js";

/** Yields every fault once, in a random order. */
export function eachOnce(random: Random): Iterable<Fault> {
  return random.shuffle(FAULTS);
}

/** Returns the faults with `text` in their names. */
export function faultsNamed(text: string): readonly Fault[] {
  const found = FAULTS.filter(({ name }) => name.includes(text));
  if (found.length === 0) throw new Error(`--only: no fault has "${text}" in its name`);
  return found;
}

/** Yields rounds of all faults, each in another order, until `durationMs` have passed. */
export function* untilTimeIsUp(
  random: Random,
  durationMs: number,
  faults: readonly Fault[] = FAULTS,
): Generator<Fault> {
  const until = nowMs() + durationMs;
  for (;;) {
    for (const fault of random.shuffle(faults)) {
      if (nowMs() > until) return;
      yield fault;
    }
  }
}
