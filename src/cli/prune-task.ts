import type { PruneReport, RetentionOptions } from "../retention/retention-types.js";
import type { RowCounts } from "../saver/model/row-counts.js";
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

/** Something to prune, which can be looked at first. */
export interface PruneTask {
  preview(onProgress: (counts: RowCounts) => void): Promise<PruneReport>;
  run(onProgress: (counts: RowCounts) => void): Promise<PruneReport>;
}

export function pruneTask({ saver, signal }: CommandContext, flags: PruneFlags): PruneTask {
  const { threads, strategy, olderThan, keepLast, thread, namespace, batchSize } = flags;
  if (strategy === "delete") {
    return {
      preview: () => saver.prune(threads, { strategy: "delete", dryRun: true, signal }),
      run: () => saver.prune(threads, { strategy: "delete", signal }),
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
