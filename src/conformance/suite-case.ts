/**
 * A promise that a suite checks. It suits any test runner: `for (const { name, run } of cases) test(name, run)`.
 */
export interface SuiteCase {
  /** What is promised. No other case of the suite has this name. */
  readonly name: string;
  /** Checks it, and rejects where it does not hold. */
  readonly run: () => Promise<void>;
}
