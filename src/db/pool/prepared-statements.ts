/**
 * How many prepared statements one connection keeps. Each takes 130 to 190 kB in its backend, so that all of
 * them take less than 20 MB. A saver uses about ten all the time, and a few dozen with all of its features.
 * Only savers for many schemas that share a connection need more.
 */
export const MAX_PREPARED_STATEMENTS = 100;

/** The names of the statements that are prepared on one connection. It keeps the most recently used ones. */
export class PreparedStatements {
  /** By name, least recently used first: whether the statement has run. */
  readonly #names = new Map<string, boolean>();

  /**
   * Records that a statement is about to be sent.
   *
   * @returns The name of another statement to close first, where there are too many.
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

  /** Records that a statement has run, so that it is certainly prepared. */
  ran(name: string): void {
    if (this.#names.has(name)) this.#names.set(name, true);
  }

  /** Whether a statement is certainly prepared. */
  hasRun(name: string): boolean {
    return this.#names.get(name) ?? false;
  }
}
