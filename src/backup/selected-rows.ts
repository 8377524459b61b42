import { holdsThread, keyOfRow, type RowLine } from "./backup-line.js";

/**
 * Reads several backups that hold rows of the same threads, the latest first, and leaves out rows that a later backup has, so that
 * the latest version of each row counts. Of a thread it remembers the keys of its rows until its last backup was read.
 */
export class LatestRows {
  /** In how many backups a thread is that were not read yet. */
  readonly #backups: Map<string, number>;
  readonly #seen = new Map<string, Set<string>>();

  /** @param backups - In how many of the backups each thread is. */
  constructor(backups: ReadonlyMap<string, number>) {
    this.#backups = new Map(backups);
  }

  /** Yields the rows of the next backup that no later one has. */
  async *of(lines: AsyncIterable<RowLine>): AsyncGenerator<RowLine> {
    const own = new Map<string, string[]>();
    let keys: string[] = [];
    let isLeftOut = false;
    for await (const line of lines) {
      if ("table" in line) {
        keys = own.get(line.thread_id) ?? [];
        own.set(line.thread_id, keys);
        const key = keyOfRow(line);
        isLeftOut = this.#seen.get(line.thread_id)?.has(key) ?? false;
        if (!isLeftOut && this.#hasEarlier(line.thread_id)) keys.push(key);
      } else if ("thread" in line) isLeftOut = false;
      // Pieces belong to the row before them, and so does the line that withdraws it.
      if (isLeftOut) continue;
      if ("cancelled" in line) keys.pop();
      yield line;
    }
    for (const [thread, ofThread] of own) this.#endThread(thread, ofThread);
  }

  #hasEarlier(thread: string): boolean {
    return (this.#backups.get(thread) ?? 0) > 1;
  }

  #endThread(thread: string, keys: readonly string[]): void {
    if (!this.#hasEarlier(thread)) this.#seen.delete(thread);
    else {
      const seen = this.#seen.get(thread) ?? new Set();
      for (const key of keys) seen.add(key);
      this.#seen.set(thread, seen);
    }
    this.#backups.set(thread, (this.#backups.get(thread) ?? 0) - 1);
  }
}

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
      if (isEnd && holdsThread(line)) this.#missing.delete(line.thread);
      if (isEnd ? this.#threads.has(line.thread) : isMeant) yield line;
    }
  }
}
