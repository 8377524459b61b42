import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";

/** The rows of a backup that one transaction stores. */
export interface BackupPortion {
  readonly checkpoints: readonly RestoredCheckpoint[];
  readonly writes: readonly RestoredWrite[];
  readonly blobs: readonly RestoredBlob[];
}

/** The threads of a portion. */
export function threadsOf({ checkpoints, writes, blobs }: BackupPortion): string[] {
  return [...new Set([...checkpoints, ...writes, ...blobs].map((row) => row.thread_id))];
}

/** The rows of a portion that are of no such thread. */
export function withoutThreads(portion: BackupPortion, threadIds: readonly string[]): BackupPortion {
  if (threadIds.length === 0) return portion;
  const threads = new Set(threadIds);
  const isOther = (row: { readonly thread_id: string }): boolean => !threads.has(row.thread_id);
  return {
    checkpoints: portion.checkpoints.filter(isOther),
    writes: portion.writes.filter(isOther),
    blobs: portion.blobs.filter(isOther),
  };
}
