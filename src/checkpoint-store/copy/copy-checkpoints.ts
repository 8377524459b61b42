import { throwIfAborted } from "../../db/statements/cancellation.js";
import { AbortError, InvalidConfigError } from "../../errors/index.js";
import { parseCopyOptions } from "../boundary/parse-copy-options.js";
import type { BackendCall, CheckpointBackend } from "../model/backend.js";
import type { CopyCheckpointsOptions, CopyProgress } from "../model/copy-types.js";
import type { ReadRecord } from "../model/stored-record.js";
import { CheckpointCopyError } from "./checkpoint-copy-error.js";
import { copyRecord, type CopyOutcome } from "./copy-record.js";

/** A store whose checkpoints can be copied: one of this library, or a `BackendCheckpointStore` of your own. */
export interface CopyableStore {
  readonly backend: CheckpointBackend;
}

/**
 * Copies all checkpoints of a store into another one, as they are stored: an encrypted state stays encrypted. The target's checkpoints
 * with the same ids are replaced where they differ, and its other ones stay. Each stored checkpoint is read again and compared. At the
 * end the numbers of checkpoints are compared.
 *
 * A copy that has stopped may be made again, from the start or with the option `after`. Save nothing in either store meanwhile, or make
 * the copy again afterwards. The TTLs of Redis are not copied: those of the target begin. Times are copied in milliseconds.
 *
 * @param to - The target. Call its `setup` before.
 * @returns The counts of all that was done.
 * @throws InvalidConfigError for an invalid option, or where both stores are the same.
 * @throws CheckpointCopyError where the copy has stopped. Its `progress` says after which id.
 * @throws AbortError when `signal` aborts. `onProgress` has got the last id.
 *
 * @example
 * ```ts
 * const { read, created } = await copyCheckpoints(oldStore, newStore);
 * ```
 */
export async function copyCheckpoints(
  from: CopyableStore,
  to: CopyableStore,
  options?: CopyCheckpointsOptions,
): Promise<CopyProgress> {
  const { signal, after, dryRun, maxConcurrency, onProgress } = parseCopyOptions(options);
  const { backend: source } = from;
  const { backend: target } = to;
  if (source === target) throw new InvalidConfigError("to", "must be another store than `from`");
  throwIfAborted(signal);
  const call: BackendCall = { signal };
  const [total, before] = await Promise.all([source.count(call), target.count(call)]);
  let progress: CopyProgress = { total, read: 0, created: 0, replaced: 0, unchanged: 0, after };
  try {
    for await (const page of source.pages(after, call)) {
      const outcomes: CopyOutcome[] = [];
      await eachConcurrently(page, maxConcurrency, async (record) => {
        throwIfAborted(signal);
        try {
          if (record instanceof Error) throw record;
          outcomes.push(await copyRecord(record, target, dryRun, call));
        } catch (error) {
          throw stoppedBy(error, progress, idOf(record));
        }
      });
      const last = page.at(-1);
      progress = added(progress, outcomes, last && idOf(last));
      onProgress?.(progress);
    }
    const counts = await Promise.all([source.count(call), target.count(call)]);
    compareCounts(progress, counts, {
      source: after === undefined ? progress.read : total,
      target: dryRun ? before : before + progress.created,
    });
    return progress;
  } catch (error) {
    throw stoppedBy(error, progress);
  }
}

/**
 * Compares the numbers of checkpoints after a copy with those that it expects.
 *
 * @throws CheckpointCopyError where they differ.
 */
function compareCounts(
  progress: CopyProgress,
  [source, target]: readonly [number, number],
  expected: { readonly source: number; readonly target: number },
): void {
  for (const [store, found, wanted] of [
    ["source", source, expected.source],
    ["target", target, expected.target],
  ] as const) {
    if (found === wanted) continue;
    const problem = `the ${store} has ${found} checkpoints instead of ${wanted}: it has changed meanwhile, or has lost some`;
    throw new CheckpointCopyError(`${problem}; copy again when nothing saves to it`, progress);
  }
}

function stoppedBy(error: unknown, progress: CopyProgress, checkpointId?: string): unknown {
  if (error instanceof AbortError || error instanceof CheckpointCopyError) return error;
  const what =
    checkpointId === undefined ? "the copy has stopped" : `checkpoint "${checkpointId}" was not copied`;
  const reason = error instanceof Error ? error.message : String(error);
  return new CheckpointCopyError(`${what}: ${reason}`, progress, { checkpointId, cause: error });
}

function idOf(record: ReadRecord): string | undefined {
  return record instanceof Error ? record.checkpointId : record.id;
}

function added(
  progress: CopyProgress,
  outcomes: readonly CopyOutcome[],
  after = progress.after,
): CopyProgress {
  const countOf = (outcome: CopyOutcome): number => outcomes.filter((one) => one === outcome).length;
  return {
    total: progress.total,
    read: progress.read + outcomes.length,
    created: progress.created + countOf("created"),
    replaced: progress.replaced + countOf("replaced"),
    unchanged: progress.unchanged + countOf("unchanged"),
    after,
  };
}

/**
 * Runs work for each item, for at most `max` of them at the same time. After a failure it begins no further one, and waits for those that
 * have begun.
 *
 * @throws The first error of the work.
 */
async function eachConcurrently<Item>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
}
