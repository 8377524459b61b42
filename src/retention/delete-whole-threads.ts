import { inOneTransaction, runTransaction } from "../db/statements/run-statement.js";
import type { IdleDeletion, ThreadDeletion } from "./boundary/parse-prune.js";
import {
  countRowsOfThreads,
  type RowsOfThreadRow,
  selectThreadTimes,
  type ThreadTimeRow,
  lockCheckpointsOfThread,
} from "./queries/whole-threads.js";
import { addCounts, NO_ROWS } from "../saver/model/row-counts.js";
import { store } from "../saver/storing/store.js";
import { writeGuard } from "../saver/storing/write-guard.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { refuseHiddenRows } from "../db/hidden-rows.js";
import { NO_UNPROVEN } from "./prune-tally.js";
import type { PruneReport } from "./retention-types.js";
import { threadPages } from "../saver/thread-pages.js";
import { timeInId } from "../saver/model/checkpoint-time.js";

/** Deletes whole threads. */
export async function deleteWholeThreads(
  call: SaverCall,
  { threads, dryRun }: ThreadDeletion,
): Promise<PruneReport> {
  let report = emptyReport(dryRun);
  await refuseHiddenRows(call);
  for await (const page of threadPages(call, threads)) {
    const sizes = await countRowsOfThreads(call, page);
    for (const size of sizes) {
      if (!dryRun) await store(call, [{ kind: "deleteThread", threadId: size.thread_id }]);
      report = addThread(report, size);
    }
    const missing = sizes.filter(({ namespaces }) => namespaces === 0).map(({ thread_id }) => thread_id);
    report = { ...report, missing: [...report.missing, ...missing] };
  }
  return report;
}

/** Deletes whole threads whose newest checkpoint is older than `idleForMs`, or than their own time to live. */
export async function deleteIdleThreads(
  call: SaverCall,
  { idleForMs, threads, dryRun, onProgress }: IdleDeletion,
): Promise<PruneReport> {
  const rule = { nowMs: Date.now(), idleForMs };
  let report = emptyReport(dryRun);
  await refuseHiddenRows(call);
  for await (const page of threadPages(call, threads)) {
    const times = await selectThreadTimes(call, page);
    const idle = times.filter((row) => isIdle(row, rule)).map(({ thread_id }) => thread_id);
    for (const size of dryRun ? await countRowsOfThreads(call, idle) : deleteEach(call, idle, rule)) {
      const deleted = await size;
      if (deleted === undefined) continue;
      report = addThread(report, deleted);
      const { checkpoints, writes, blobs, bytes, namespaces } = report;
      const counts = { checkpoints, writes, blobs, bytes };
      onProgress?.({ ...counts, threadId: deleted.thread_id, checkpointNs: "", namespacesDone: namespaces });
    }
    if (threads !== undefined)
      report = { ...report, missing: [...report.missing, ...threadsWithoutRow(page, times)] };
  }
  return report;
}

/** Deletes the threads one by one, as the caller iterates. */
function* deleteEach(
  call: SaverCall,
  threads: readonly string[],
  rule: IdleRule,
): Generator<Promise<RowsOfThreadRow | undefined>> {
  for (const threadId of threads) yield deleteIfIdle(call, threadId, rule);
}

/**
 * Deletes a thread unless it has a new checkpoint. A concurrent `put` locks its parent checkpoint, so the statement after the
 * locks sees the new one.
 *
 * @returns What was deleted; `undefined` if the thread is no longer idle.
 */
function deleteIfIdle(
  call: SaverCall,
  threadId: string,
  rule: IdleRule,
): Promise<RowsOfThreadRow | undefined> {
  const operations = [{ kind: "deleteThread", threadId }] as const;
  return inOneTransaction(call, async (transaction) => {
    const guard = await writeGuard(transaction, operations);
    const statements = [lockCheckpointsOfThread.bind(transaction.schema, { threadId })];
    await runTransaction(transaction, { guard, statements });
    const [time] = await selectThreadTimes(transaction, [threadId]);
    if (time === undefined || !isIdle(time, rule)) return undefined;
    const [size] = await countRowsOfThreads(transaction, [threadId]);
    await store(transaction, operations);
    return size;
  });
}

function threadsWithoutRow(threads: readonly string[], rows: readonly ThreadTimeRow[]): string[] {
  const stored = new Set(rows.map(({ thread_id }) => thread_id));
  return threads.filter((thread) => !stored.has(thread));
}

function emptyReport(dryRun: boolean): PruneReport {
  return { ...NO_ROWS, threads: 0, namespaces: 0, missing: [], unproven: NO_UNPROVEN, dryRun };
}

function addThread(report: PruneReport, size: RowsOfThreadRow): PruneReport {
  const threads = report.threads + Math.min(1, size.namespaces);
  return { ...report, ...addCounts(report, size), threads, namespaces: report.namespaces + size.namespaces };
}

/** Which threads are idle. */
export interface IdleRule {
  /** In milliseconds since 1970. */
  readonly nowMs: number;
  /** The least age of the newest checkpoint of a thread that has no time to live of its own, in milliseconds. */
  readonly idleForMs: number;
}

/** Whether a thread is idle. One whose newest checkpoint has no time never is. */
export function isIdle({ checkpoint_id, ts, ttl }: ThreadTimeRow, { nowMs, idleForMs }: IdleRule): boolean {
  const time = timeInId(checkpoint_id) ?? new Date(ts ?? NaN);
  return time.getTime() < nowMs - (ownTtl(ttl) ?? idleForMs);
}

/** Ignores what is no time to live: other programs may store anything in the metadata. */
function ownTtl(ttl: string | null): number | undefined {
  const ms = ttl === null || ttl.trim() === "" ? NaN : Number(ttl);
  return ms >= 0 ? ms : undefined;
}
