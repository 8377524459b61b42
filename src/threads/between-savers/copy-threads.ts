import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import { AbortError, CheckpointNotFoundError } from "../../errors/index.js";
import { configOf } from "../../saver/codec/config-of.js";
import type { CheckpointKey } from "../../saver/model/checkpoint-key.js";
import { parseCopyThreads } from "../boundary/parse-copy-threads.js";
import { VersionCopier } from "./copied-versions.js";
import type { CopyThreadsOptions, CopyThreadsProgress, CopyThreadsReport } from "./copy-threads-types.js";
import { copyWrites } from "./copy-writes.js";
import { listCheckpoints, type ListedCheckpoint, listThreadIds, nameOf } from "./listed-checkpoints.js";
import { ThreadCopyError } from "./thread-copy-error.js";

/**
 * Copies threads from any checkpoint saver into any other one, through the methods that all savers have: the checkpoints of all namespaces,
 * the oldest first, with their ids, parents, metadata and pending writes. A copied thread has the same history, and continues from where it
 * is, also from an interrupt. Nothing is deleted or changed in the source.
 *
 * A checkpoint that the target has stays as it is. So a copy that has stopped is made again, and continues; and a second copy brings what
 * the source has stored since then. What the source deletes meanwhile is left out. Nothing should run in the target on threads that are not copied completely.
 *
 * Between two databases with the tables of this library or of the official savers, `exportThreads` and `importThreads` copy the bytes, and
 * are faster.
 *
 * @param source - The saver to copy from, such as a `MemorySaver` or a `SqliteSaver`.
 * @param target - The saver to copy into. Call its `setup` before.
 * @returns The counts of all that was done.
 * @throws InvalidConfigError for an invalid argument, or where both savers are the same.
 * @throws ThreadCopyError where a thread can't be copied. It names the thread, and `cause` is the error of the saver.
 * @throws AbortError when `signal` aborts, between two checkpoints.
 *
 * @example
 * ```ts
 * const { threads, checkpoints } = await copyThreads(sqliteSaver, checkpointer);
 * ```
 */
export async function copyThreads(
  source: BaseCheckpointSaver,
  target: BaseCheckpointSaver,
  options?: CopyThreadsOptions,
): Promise<CopyThreadsReport> {
  const { threads, signal, onProgress } = parseCopyThreads(source, target, options);
  throwIfAborted(signal);
  const ids = threads === undefined ? await listThreadIds(source) : [...new Set(threads)];
  const missing: string[] = [];
  let progress: CopyThreadsProgress = { total: ids.length, threads: 0, checkpoints: 0, skipped: 0 };
  for (const threadId of ids) {
    let at: CheckpointKey | undefined;
    try {
      throwIfAborted(signal);
      const listed = await listCheckpoints(source, threadId);
      const stored = await storedCheckpoints(target, threadId);
      const versions = new VersionCopier(target, stored.byName);
      const gone = new Set<string>();
      for (const checkpoint of listed) {
        throwIfAborted(signal);
        at = checkpoint;
        versions.count(checkpoint);
        const name = nameOf(checkpoint);
        const isStored = stored.byName.has(name);
        // Only a checkpoint that nothing follows may have got writes since it was copied.
        if (!isStored || !stored.withChildren.has(name)) {
          const isThere = await copyCheckpoint({ source, target, versions, isStored, gone }, checkpoint);
          if (!isThere && !isStored) {
            gone.add(name);
            continue;
          }
        }
        progress = isStored
          ? { ...progress, skipped: progress.skipped + 1 }
          : { ...progress, checkpoints: progress.checkpoints + 1 };
        onProgress?.(progress);
      }
      if (listed.length === gone.size) missing.push(threadId);
      else progress = { ...progress, threads: progress.threads + 1 };
    } catch (error) {
      throw error instanceof AbortError ? error : stoppedBy(error, progress, { threadId, ...at });
    }
    onProgress?.(progress);
  }
  return { ...progress, missing };
}

/** Which checkpoints of a thread a saver has, and which of them have children. */
async function storedCheckpoints(
  saver: BaseCheckpointSaver,
  threadId: string,
): Promise<{
  readonly byName: ReadonlyMap<string, ListedCheckpoint>;
  readonly withChildren: ReadonlySet<string>;
}> {
  const listed = await listCheckpoints(saver, threadId);
  const parents = listed.flatMap(({ parent }) => (parent === undefined ? [] : [nameOf(parent)]));
  return {
    byName: new Map(listed.map((one) => [nameOf(one), one])),
    withChildren: new Set(parents),
  };
}

interface Copier {
  readonly source: BaseCheckpointSaver;
  readonly target: BaseCheckpointSaver;
  readonly versions: VersionCopier;
  /** Whether the target has the checkpoint, so that only its writes are copied. */
  readonly isStored: boolean;
  /** The names of the checkpoints that the source has deleted since they were listed. */
  readonly gone: ReadonlySet<string>;
}

/** @returns Whether the source still has the checkpoint. */
async function copyCheckpoint(copier: Copier, given: ListedCheckpoint): Promise<boolean> {
  const { source, target, versions, isStored, gone } = copier;
  // As if it had been listed now: the child of a checkpoint that is gone brings all its values.
  const hasParent = given.parent !== undefined && !gone.has(nameOf(given.parent));
  const listed = hasParent ? given : { ...given, parent: undefined };
  const config = configOf(listed);
  const tuple = await source.getTuple(config);
  if (tuple === undefined) return false;
  if (tuple.metadata === undefined) throw new CheckpointNotFoundError(listed);
  const { checkpoint, metadata, pendingWrites = [] } = tuple;
  // The writes first: a checkpoint that the target has must have its writes, wherever a copy has stopped.
  await copyWrites(target, config, pendingWrites);
  if (isStored) return true;
  const { newVersions, ...copied } = versions.copy(listed, checkpoint);
  const { threadId, checkpointNs, parent } = listed;
  const parentConfig =
    parent === undefined
      ? { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs } }
      : configOf(parent);
  await target.put(parentConfig, { ...checkpoint, ...copied }, metadata, newVersions);
  return true;
}

function stoppedBy(
  error: unknown,
  progress: CopyThreadsProgress,
  { threadId, checkpointNs, checkpointId }: Partial<CheckpointKey>,
): ThreadCopyError {
  const reason = error instanceof Error ? error.message : String(error);
  const checkpoint = checkpointId === undefined ? "" : `, checkpoint "${checkpointId}"`;
  return new ThreadCopyError(`thread "${threadId ?? ""}"${checkpoint} was not copied: ${reason}`, progress, {
    ...{ threadId, checkpointNs, checkpointId, cause: error },
  });
}
