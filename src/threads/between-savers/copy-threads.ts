import { messageOfThrown, codeOf } from "../../errors/thrown.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import { AbortError, CheckpointNotFoundError, type Damage } from "../../errors/index.js";
import type { ReadOptions } from "../../saver/boundary/parse-read.js";
import { configOf } from "../../saver/boundary/parse-config.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import { parseCopyThreads } from "../boundary/parse-copy-threads.js";
import { VersionCopier } from "./copied-versions.js";
import {
  type CopyThreadsOptions,
  type CopyThreadsProgress,
  type CopyThreadsReport,
  ThreadCopyError,
} from "./copy-threads-types.js";
import { copyTargetOf, copyWrites } from "./copy-writes.js";
import {
  listCheckpoints,
  type ListedCheckpoint,
  listThreadIds,
  nameOfCheckpoint,
  StoredThread,
} from "./listed-checkpoints.js";
import { tasksToLeave } from "./write-marks.js";

/**
 * Copies threads from any checkpoint saver into any other one, through the methods that all savers have: the checkpoints of all namespaces,
 * the oldest first, with their ids, parents, metadata and pending writes. A copied thread has the same history, and continues from where it
 * is, also from an interrupt. Nothing is deleted or changed in the source.
 *
 * A copy that has stopped is made again, and continues. A second copy brings what the source has stored since then: checkpoints, and the writes
 * of tasks on checkpoints that the target has. It ends with what one copy at that time would give. Checkpoints of the target's own stay, and
 * so do the results of tasks on a checkpoint from which the target has gone on. What the source deletes meanwhile is left out. Nothing should
 * run in the target on threads that are not copied completely.
 *
 * Between two databases with the tables of this library or of the official savers, `exportThreads` and `importThreads` copy the bytes, and
 * are faster.
 *
 * @param source - The saver to copy from, such as a `MemorySaver` or a `SqliteSaver`.
 * @param target - The saver to copy into. Call its `setup` before.
 * @returns The counts of all that was done.
 * @throws InvalidConfigError for an invalid argument, or where both savers are the same.
 * @throws ThreadCopyError where a saver fails, and with `strict` where a thread can't be copied. It names the thread, and `cause` is the
 *   error of the saver.
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
  const { threads, signal, strict, onProgress } = parseCopyThreads(source, target, options);
  throwIfAborted(signal);
  const ids = threads === undefined ? await listThreadIds(source) : [...new Set(threads)];
  const missing: string[] = [];
  const damaged: Damage[] = [];
  let progress: CopyThreadsProgress = { total: ids.length, threads: 0, checkpoints: 0, skipped: 0 };
  for (const threadId of ids) {
    let at: CheckpointKey | undefined;
    try {
      throwIfAborted(signal);
      const stored = await StoredThread.read(target, threadId);
      const listed = await listCheckpoints(source, threadId, { writes: !stored.isEmpty });
      const versions = new VersionCopier(target, stored, listed);
      const continued = stored.continuedBeside(listed);
      const gone = new Set<string>();
      for (const checkpoint of listed) {
        throwIfAborted(signal);
        at = checkpoint;
        versions.count(checkpoint);
        const name = nameOfCheckpoint(checkpoint);
        const there = stored.checkpoints.get(name);
        const isStored = there !== undefined || stored.hasDropped(checkpoint);
        if (there !== undefined) {
          await copyLaterWrites({ source, target }, checkpoint, { there, isContinued: continued.has(name) });
        } else if (!isStored && !(await copyCheckpoint({ source, target, versions, gone }, checkpoint))) {
          gone.add(name);
          continue;
        }
        progress = isStored
          ? { ...progress, skipped: progress.skipped + 1 }
          : { ...progress, checkpoints: progress.checkpoints + 1 };
        onProgress?.(progress);
      }
      if (listed.length === gone.size) missing.push(threadId);
      else progress = { ...progress, threads: progress.threads + 1 };
    } catch (error) {
      if (error instanceof AbortError) throw error;
      if (strict || !isOfThread(error)) throw stoppedBy(error, progress, { threadId, ...at });
      damaged.push(damageAt({ threadId, ...at }, error));
    }
    onProgress?.(progress);
  }
  return { ...progress, missing, damaged };
}

interface Savers {
  readonly source: BaseCheckpointSaver;
  readonly target: BaseCheckpointSaver;
}

interface Copier extends Savers {
  readonly versions: VersionCopier;
  /** The names of the checkpoints that the source has deleted since they were listed. */
  readonly gone: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** @returns Whether the source still has the checkpoint. */
async function copyCheckpoint(
  { source, target, versions, gone }: Copier,
  given: ListedCheckpoint,
): Promise<boolean> {
  // As if it had been listed now: the child of a checkpoint that is gone brings all its values.
  const hasParent = given.parent !== undefined && !gone.has(nameOfCheckpoint(given.parent));
  const listed = hasParent ? given : { ...given, parent: undefined };
  const config = configOf(listed);
  const tuple = await source.getTuple(config);
  if (tuple === undefined) return false;
  if (tuple.metadata === undefined) throw new CheckpointNotFoundError(listed);
  const { checkpoint, metadata, pendingWrites = [] } = tuple;
  // The writes first: a checkpoint that the target has must have its writes, wherever a copy has stopped.
  await copyWrites(target, config, pendingWrites, NONE);
  const { newVersions, ...copied } = versions.copy(listed, checkpoint);
  const { threadId, checkpointNs, parent } = listed;
  const parentConfig =
    parent === undefined
      ? { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs } }
      : configOf(parent);
  await target.put(parentConfig, { ...checkpoint, ...copied }, metadata, newVersions);
  return true;
}

/** Copies the writes of a checkpoint that the target has, where they are not the same. Tasks may have written since the last copy. */
async function copyLaterWrites(
  { source, target }: Savers,
  listed: ListedCheckpoint,
  { there, isContinued }: { readonly there: ListedCheckpoint; readonly isContinued: boolean },
): Promise<void> {
  const keepsOrder = copyTargetOf(target) !== undefined;
  const left =
    listed.tasks === undefined
      ? NONE
      : tasksToLeave({ source: listed.tasks, stored: there.tasks ?? [], isContinued, keepsOrder });
  if (left === undefined) return;
  const config = configOf(listed);
  const read: (config: RunnableConfig, options: ReadOptions) => ReturnType<typeof source.getTuple> =
    source.getTuple.bind(source);
  const tuple = await read(config, { values: false, writes: true });
  await copyWrites(target, config, tuple?.pendingWrites ?? [], left);
}

/** Codes of errors about one value or one checkpoint. Both savers may be of another copy of this package. */
const OF_THREAD: ReadonlySet<unknown> = new Set([
  ...["BROKEN_CHAIN", "CHECKPOINT_TOO_LARGE", "CORRUPT_CHECKPOINT", "DESERIALIZATION_FAILED"],
  ...["INVALID_CONFIG", "SERIALIZATION_FAILED", "THREAD_DELETED"],
]);

/** Whether an error is about the thread. Errors of drivers have codes; those of another saver's decoder have none. */
function isOfThread(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined ? error instanceof Error : OF_THREAD.has(code);
}

function damageAt(
  { threadId, checkpointNs, checkpointId }: Partial<CheckpointKey> & Pick<CheckpointKey, "threadId">,
  error: unknown,
): Damage {
  const channel = error instanceof Error && "channel" in error ? error.channel : undefined;
  return {
    threadId,
    ...(checkpointNs !== undefined && { checkpointNs }),
    ...(checkpointId !== undefined && { checkpointId }),
    ...(typeof channel === "string" && { channel }),
    reason: messageOfThrown(error),
  };
}

function stoppedBy(
  error: unknown,
  progress: CopyThreadsProgress,
  { threadId, checkpointNs, checkpointId }: Partial<CheckpointKey>,
): ThreadCopyError {
  const reason = messageOfThrown(error);
  const checkpoint = checkpointId === undefined ? "" : `, checkpoint "${checkpointId}"`;
  return new ThreadCopyError(`thread "${threadId ?? ""}"${checkpoint} was not copied: ${reason}`, progress, {
    ...{ threadId, checkpointNs, checkpointId, cause: error },
  });
}
