import { numberOfRows } from "../saver/model/row-counts.js";
import type { RowLine } from "./backup-line.js";

/** Selects the rows of some threads from a backup. */
export class RowsOfThreads {
  readonly #threads: ReadonlySet<string>;
  readonly #missing: Set<string>;

  constructor(threads: Iterable<string>) {
    this.#threads = new Set(threads);
    this.#missing = new Set(this.#threads);
  }

  /** The threads of which no row was read. */
  get missing(): string[] {
    return [...this.#missing];
  }

  async *of(lines: AsyncIterable<RowLine>): AsyncGenerator<RowLine> {
    let isMeant = false;
    for await (const line of lines) {
      // Pieces belong to the row before them, and so does the line that withdraws it.
      if ("table" in line) isMeant = this.#threads.has(line.thread_id);
      const isEnd = "thread" in line;
      if (isEnd && numberOfRows(line) > 0) this.#missing.delete(line.thread);
      if (isEnd ? this.#threads.has(line.thread) : isMeant) yield line;
    }
  }
}
