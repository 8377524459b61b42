/**
 * How many named statements one connection keeps. Each takes 130 to 190 kB in its backend, so that these take less than 20 MB. A
 * saver uses about ten of them all the time, and some dozens with all that it can do: only savers for many schemas share too few.
 */
export const MAX_PREPARED_STATEMENTS = 100;

/** The names under which statements are prepared on one connection, of which it keeps those that were used last. */
export class PreparedStatements {
  /** By name, the least recently used one first: whether the statement has run. */
  readonly #names = new Map<string, boolean>();

  /**
   * Notes that a statement is about to be sent.
   *
   * @returns The name of another that is to be closed for it, where there are too many.
   */
  use(name: string): string | undefined {
    const hasRun = this.#names.get(name);
    if (hasRun !== undefined) this.#names.delete(name);
    this.#names.set(name, hasRun ?? false);
    if (this.#names.size <= MAX_PREPARED_STATEMENTS) return undefined;
    const [leastRecent] = this.#names.keys();
    if (leastRecent !== undefined) this.#names.delete(leastRecent);
    return leastRecent;
  }

  /** Notes that a statement has run, so that it is prepared for certain. */
  ran(name: string): void {
    if (this.#names.has(name)) this.#names.set(name, true);
  }

  /** Whether a statement is prepared for certain. */
  hasRun(name: string): boolean {
    return this.#names.get(name) ?? false;
  }
}
