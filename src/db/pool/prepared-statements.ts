import type { ParseText } from "../result-types.js";

/**
 * How many prepared statements one connection keeps. Each takes 130 to 190 kB in its backend, so that all of
 * them take less than 20 MB. A saver uses about ten all the time, and a few dozen with all of its features.
 * Only savers for many schemas that share a connection need more.
 */
export const MAX_PREPARED_STATEMENTS = 100;

/** A column of the rows of a statement. */
export interface Column {
  readonly name: string;
  readonly parse: ParseText;
}

/** A statement that was sent to be prepared. */
export interface PreparedStatement {
  /** Known as soon as the statement has run. Until then nobody knows whether it is prepared. */
  columns: readonly Column[] | undefined;
}

/** The statements that are prepared on one connection. It keeps the most recently used ones. */
export class PreparedStatements {
  /** By name, least recently used first. */
  readonly #statements = new Map<string, PreparedStatement>();

  /** Whether a statement is known to be prepared. */
  has(name: string): boolean {
    return this.#statements.get(name)?.columns !== undefined;
  }

  /**
   * Records that a statement is about to be sent.
   *
   * @param name - Its name; `undefined` for one that is not prepared.
   * @returns The statement, and the names of those to close first: a statement that may be prepared, and must be prepared again, and
   * the least recently used one where there are too many.
   */
  use(name: string | undefined): { statement: PreparedStatement | undefined; closing: string[] } {
    if (name === undefined) return { statement: undefined, closing: [] };
    const known = this.#statements.get(name);
    const statement = known ?? { columns: undefined };
    this.#statements.delete(name);
    this.#statements.set(name, statement);
    const closing = known !== undefined && known.columns === undefined ? [name] : [];
    if (this.#statements.size <= MAX_PREPARED_STATEMENTS) return { statement, closing };
    const [leastRecent = name] = this.#statements.keys();
    this.#statements.delete(leastRecent);
    return { statement, closing: [...closing, leastRecent] };
  }
}
