import { NO_ROWS, addCounts, type RowCounts } from "../saver/row-counts.js";
import type { RetentionOptions } from "../saver/prune/pruning.js";
import type { CommandContext } from "./command-definition.js";

/** What `prune` was given. */
export interface PruneFlags {
  readonly threads: readonly string[];
  readonly strategy?: "keep-latest" | "delete" | undefined;
  readonly olderThan?: number | undefined;
  readonly keepLast?: number | undefined;
  readonly thread?: readonly string[] | undefined;
  readonly namespace?: readonly string[] | undefined;
  readonly batchSize?: number | undefined;
}

/** What goes, or went. */
export type PrunedRows = RowCounts & { readonly threads: number };

/** Something to prune, which can be looked at first. */
export interface PruneTask {
  preview(onProgress: (counts: RowCounts) => void): Promise<PrunedRows>;
  run(onProgress: (counts: RowCounts) => void): Promise<PrunedRows>;
}

export function pruneTask({ saver, signal }: CommandContext, flags: PruneFlags): PruneTask {
  const { threads, strategy, olderThan, keepLast, thread, namespace, batchSize } = flags;
  if (strategy === "delete") {
    return {
      preview: () => countThreads(saver, threads, signal),
      run: async () => saver.prune(threads, { strategy: "delete", signal }),
    };
  }
  const options: RetentionOptions =
    threads.length > 0
      ? { threads, keepLast: 1, batchSize, signal }
      : { olderThanMs: olderThan, keepLast, threads: thread, namespaces: namespace, batchSize, signal };
  return {
    preview: (onProgress) => saver.prune({ ...options, dryRun: true, onProgress }),
    run: (onProgress) => saver.prune({ ...options, onProgress }),
  };
}

/** All rows of threads. */
export async function countThreads(
  saver: CommandContext["saver"],
  threads: readonly string[],
  signal: AbortSignal,
): Promise<PrunedRows> {
  let counts = NO_ROWS;
  let found = 0;
  for (const threadId of new Set(threads)) {
    const { total } = await saver.storage({ threadId, limit: 1, signal });
    const { checkpoints, blobs, writes, blobBytes, writeBytes } = total;
    counts = addCounts(counts, { checkpoints, blobs, writes, bytes: blobBytes + writeBytes });
    if (checkpoints + blobs + writes > 0) found += 1;
  }
  return { ...counts, threads: found };
}
