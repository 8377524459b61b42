import { inOneTransaction, runTransaction } from "../db/statements/run-statement.js";
import type { IdleDeletion, ThreadDeletion } from "./boundary/parse-prune.js";
import { timeInId } from "../saver/model/checkpoint-time.js";
import { measureThreads, type ThreadSizeRow } from "./queries/measure-threads.js";
import {
  lockCheckpointsOfThread,
  selectThreadTimes,
  type ThreadTimeRow,
} from "./queries/select-thread-times.js";
import { addCounts, NO_ROWS } from "../saver/model/row-counts.js";
import { storeBatch } from "../saver/store.js";
import { writeGuard } from "../saver/write-guard.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { inPortions } from "./in-portions.js";
import type { PruneReport } from "./retention-types.js";
import { storedThreads, THREADS_AT_ONCE } from "./stored-threads.js";

/** Deletes threads whole. */
export async function deleteThreads(
  call: SaverCall,
  { threads, dryRun }: ThreadDeletion,
): Promise<PruneReport> {
  let report = nothing(dryRun);
  for (const page of inPortions(threads, THREADS_AT_ONCE)) {
    const sizes = await measureThreads(call, page);
    for (const size of sizes) {
      if (!dryRun) await storeBatch(call, [{ kind: "deleteThread", threadId: size.thread_id }]);
      report = adding(report, size);
    }
    const missing = sizes.filter(({ namespaces }) => namespaces === 0).map(({ thread_id }) => thread_id);
    report = { ...report, missing: [...report.missing, ...missing] };
  }
  return report;
}

/** Deletes threads whole whose newest checkpoint is older than it may be. */
export async function deleteIdleThreads(
  call: SaverCall,
  { idleForMs, threads, dryRun, onProgress }: IdleDeletion,
): Promise<PruneReport> {
  const idleBefore = Date.now() - idleForMs;
  let report = nothing(dryRun);
  const pages = threads === undefined ? storedThreads(call) : inPortions(threads, THREADS_AT_ONCE);
  for await (const page of pages) {
    const times = await selectThreadTimes(call, page);
    const idle = times.filter((row) => isIdle(row, idleBefore)).map(({ thread_id }) => thread_id);
    for (const size of dryRun ? await measureThreads(call, idle) : deleteEach(call, idle, idleBefore)) {
      const gone = await size;
      if (gone === undefined) continue;
      report = adding(report, gone);
      const { checkpoints, writes, blobs, bytes, namespaces } = report;
      const counts = { checkpoints, writes, blobs, bytes };
      onProgress({ ...counts, threadId: gone.thread_id, checkpointNs: "", namespacesDone: namespaces });
    }
    if (threads !== undefined) report = { ...report, missing: [...report.missing, ...without(page, times)] };
  }
  return report;
}

/** One after another, each as it is asked for. */
function* deleteEach(
  call: SaverCall,
  threads: readonly string[],
  idleBefore: number,
): Generator<Promise<ThreadSizeRow | undefined>> {
  for (const threadId of threads) yield deleteWhereIdle(call, threadId, idleBefore);
}

/**
 * Deletes a thread unless somebody has gone on with it meanwhile: who does so holds a checkpoint of it, and is seen by the
 * statement after the locks.
 *
 * @returns What went; `undefined` where the thread is idle no more.
 */
function deleteWhereIdle(
  call: SaverCall,
  threadId: string,
  idleBefore: number,
): Promise<ThreadSizeRow | undefined> {
  const operations = [{ kind: "deleteThread", threadId }] as const;
  return inOneTransaction(call, async (within) => {
    const guard = writeGuard(within, operations);
    await runTransaction(within, { guard, statements: [lockCheckpointsOfThread(within.schema, threadId)] });
    const [time] = await selectThreadTimes(within, [threadId]);
    if (time === undefined || !isIdle(time, idleBefore)) return undefined;
    const [size] = await measureThreads(within, [threadId]);
    await storeBatch(within, operations);
    return size;
  });
}

/** One that tells no time is never idle. */
function isIdle({ checkpoint_id, ts }: ThreadTimeRow, idleBefore: number): boolean {
  const time = timeInId(checkpoint_id) ?? new Date(ts ?? NaN);
  return time.getTime() < idleBefore;
}

function without(threads: readonly string[], rows: readonly ThreadTimeRow[]): string[] {
  const stored = new Set(rows.map(({ thread_id }) => thread_id));
  return threads.filter((thread) => !stored.has(thread));
}

function nothing(dryRun: boolean): PruneReport {
  return { ...NO_ROWS, threads: 0, namespaces: 0, missing: [], dryRun };
}

function adding(
  report: PruneReport,
  { checkpoints, writes, blobs, bytes, namespaces }: ThreadSizeRow,
): PruneReport {
  return {
    ...report,
    ...addCounts(report, { checkpoints, writes, blobs, bytes }),
    threads: report.threads + Math.min(1, namespaces),
    namespaces: report.namespaces + namespaces,
  };
}
