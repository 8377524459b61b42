import type { Damage } from "../errors/index.js";

/** What an import can't store of a thread, and why. */
export interface LeftRows {
  readonly damaged: readonly Damage[];
  /** Threads that were deleted, and have a tombstone. */
  readonly tombstoned: readonly string[];
}

/** The threads that an import has left. Their later rows are left as well. */
export class LeftThreads {
  readonly #threads = new Set<string>();
  #rows: LeftRows = { damaged: [], tombstoned: [] };

  /** The rows that tell why. */
  get rows(): LeftRows {
    return this.#rows;
  }

  has(threadId: string): boolean {
    return this.#threads.has(threadId);
  }

  /** @param threads - The threads that are left. Others have rows that are kept, and the rest of them is stored. */
  add({ damaged, tombstoned }: LeftRows, threads: readonly string[]): void {
    for (const threadId of threads) this.#threads.add(threadId);
    if (damaged.length + tombstoned.length === 0) return;
    // New lists, since a listener of the progress may keep the earlier ones.
    this.#rows = {
      damaged: [...this.#rows.damaged, ...damaged],
      tombstoned: [...this.#rows.tombstoned, ...tombstoned],
    };
  }
}
