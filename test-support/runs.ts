import fc from "fast-check";

// `npm run test:long` sets and prints both (tests/long.js).
const FACTOR = Number(process.env.TEST_FACTOR ?? 1);

/** The seed of random tests: the same in every `npm test`, another one in every `npm run test:long`. */
export const SEED = Number(process.env.TEST_SEED ?? 1);

/** Whether a test may take minutes, as in `npm run test:long`. */
export const IS_LONG = FACTOR > 1;

/** Long enough for a busy machine, and shorter than the timeout of a test (jest.config.js, tests/long.js). */
const PROPERTY_TIMEOUT_MS = 150_000;

/** The parameters of `fc.assert` and `fc.sample` for the number of runs, the seed and the time limit. */
export interface Runs {
  readonly seed: number;
  readonly numRuns: number;
  plugins: fc.Plugin<unknown>[];
}

/**
 * Returns the parameters of a property that runs `count` times in `npm test`, always with the same seed, so that the
 * same code always has the same result. `npm run test:long` runs it more often, with a random seed.
 *
 * @param count - The number of runs in `npm test`.
 * @param timeoutMs - The property fails if these runs take longer.
 *
 * @example
 * ```ts
 * await fc.assert(fc.asyncProperty(anyValue, expectToSurvive), runs(100));
 * ```
 */
export function runs(count: number, timeoutMs = PROPERTY_TIMEOUT_MS): Runs {
  const timeout = fc.interruptAfterTimeLimit(timesRun(timeoutMs), { failOnInterrupt: true });
  return { seed: SEED, numRuns: timesRun(count), plugins: [timeout] };
}

/** Returns how often a loop repeats, or how long it takes: `count` in `npm test`, more in `npm run test:long`. */
export function timesRun(count: number): number {
  return count * FACTOR;
}
