import fc from "fast-check";

// `npm run test:long` sets both, and prints them (tests/long.js).
const FACTOR = Number(process.env.TEST_FACTOR ?? 1);

/** Where a test decides at random: the same in every `npm test`, another in every `npm run test:long`. */
export const SEED = Number(process.env.TEST_SEED ?? 1);

/** Whether a test may take minutes, as in `npm run test:long`. */
export const IS_LONG = FACTOR > 1;

/** Generous, so that a machine that is busy with other tests fails none; less than a test has (jest.config.js, tests/long.js). */
const PROPERTY_TIMEOUT_MS = 150_000;

/** The parameters of `fc.assert` and `fc.sample` that decide how often they draw, from which seed, and for how long. */
export interface Runs {
  readonly seed: number;
  readonly numRuns: number;
  plugins: fc.Plugin<unknown>[];
}

/**
 * How often a property is checked: `count` times in `npm test`, always from the same seed, so that the same code always has the same
 * result; more often, and from a random seed, in `npm run test:long`.
 *
 * @param count - the number of runs in `npm test`
 * @param timeoutMs - the property fails where those runs take longer
 * @example
 * ```ts
 * await fc.assert(fc.asyncProperty(anyValue, expectToSurvive), runs(100));
 * ```
 */
export function runs(count: number, timeoutMs = PROPERTY_TIMEOUT_MS): Runs {
  const timeout = fc.interruptAfterTimeLimit(timesRun(timeoutMs), { failOnInterrupt: true });
  return { seed: SEED, numRuns: timesRun(count), plugins: [timeout] };
}

/** How often a loop repeats what it tests, or how long it may take: `count` in `npm test`, more in `npm run test:long`. */
export function timesRun(count: number): number {
  return count * FACTOR;
}
