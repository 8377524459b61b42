import { type Damage, describePlace } from "../errors/index.js";
import type { DifferingRow } from "../saver/queries/restored-rows.js";
import { BackupError } from "./backup-error.js";

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

const REASON = "is already stored with different content: an import overwrites nothing";

/** Rows of a portion are stored with different content. The error names the first one, and rolls the transaction back. */
export class DifferingRows extends BackupError {
  readonly rows: readonly DifferingRow[];

  constructor(first: DifferingRow, rows: readonly DifferingRow[]) {
    const { reason, version: _, ...place } = damageOfRow(first);
    super(`${describePlace(place)} ${reason}`, place);
    this.rows = rows;
  }
}

/** Names a stored row that differs. */
export function damageOfRow(row: DifferingRow): Damage {
  const { checkpoint_id: checkpointId, channel, version } = row;
  return {
    ...{ threadId: row.thread_id, checkpointNs: row.checkpoint_ns },
    ...(checkpointId !== null && { checkpointId }),
    ...(channel !== null && { channel }),
    ...(version !== null && { version }),
    reason: REASON,
  };
}

/** Names the first differing row of each thread. */
export function damagePerThread(rows: readonly DifferingRow[]): Damage[] {
  const threads = new Map<string, DifferingRow>();
  for (const row of rows) if (!threads.has(row.thread_id)) threads.set(row.thread_id, row);
  return [...threads.values()].map(damageOfRow);
}
