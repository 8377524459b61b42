import type { CallContext } from "../db/call-context.js";
import { placementOf } from "../db/placement/placement.js";
import { allThreads, eachThreadId } from "../saver/thread-pages.js";
import type { StorageRequest } from "./boundary/parse-audit.js";
import { expectedRows } from "./queries/expected-rows.js";
import { measureStorage } from "./queries/measure-storage.js";
import { StorageTally } from "./storage-tally.js";
import type { TaskReport, TaskStats } from "./audit-types.js";
import type { StorageReport } from "./storage-types.js";
import { nodeOfPath } from "../saver/model/keys.js";
import {
  type AllTasksScope,
  measureAllTasks,
  type MeasuredTaskRow,
  measureTasks,
  type TaskScope,
  type TaskSizeRow,
} from "./queries/measure-tasks.js";

/**
 * Measures the stored rows, of all threads in pages, so that Postgres groups few rows at once and the caller sees the progress. See `storage`
 * of the savers.
 */
export async function storage(call: CallContext, request: StorageRequest): Promise<StorageReport> {
  const { threadId, checkpoint, sample, limit, onProgress } = request;
  const tally = new StorageTally(limit);
  if (threadId !== undefined) {
    tally.add(await measureStorage(call, { threadIds: [threadId], checkpoint }));
    return tally.report();
  }
  const rows = onProgress === undefined ? undefined : await expectedRows(call);
  const expected = rows === undefined ? undefined : Math.round(rows * (sample ?? 1));
  const measure = async (threadIds: readonly string[] | undefined): Promise<void> => {
    tally.add(await measureStorage(call, { threadIds }));
    const { threads, checkpoints, blobs, writes } = tally.measured;
    onProgress?.({ threads, checkpoints, blobs, writes, ...(expected !== undefined && { expected }) });
  };
  if (sample !== undefined) {
    let threads = 0;
    let drawn = 0;
    for await (const id of eachThreadId(call, undefined)) {
      threads += 1;
      if (Math.random() >= sample) continue;
      drawn += 1;
      // One by one, as the error is computed from each.
      await measure([id]);
    }
    return tally.estimate(drawn, threads);
  }
  // Nodes group what they hold (N4).
  if ((await placementOf(call)).isOnNodes) await measure(undefined);
  else for await (const page of allThreads(call)) await measure(page);
  return tally.report();
}

/** Measures what the tasks of a thread wrote; see `taskStats` of the savers. */
export async function taskStats(call: CallContext, scope: TaskScope): Promise<TaskStats[]> {
  const rows = await measureTasks(call, scope);
  return rows.map((row) => statsOf(scope.threadId, row));
}

/** Measures what tasks wrote, by node and by task; see `taskStats` of the savers. */
export async function taskReport(call: CallContext, scope: AllTasksScope): Promise<TaskReport> {
  const rows = await measureAllTasks(call, scope);
  // UNION ALL does not guarantee an order.
  const largest = (part: MeasuredTaskRow["part"]): MeasuredTaskRow[] =>
    rows.filter((row) => row.part === part).sort((one, other) => other.bytes - one.bytes);
  return {
    nodes: largest("node").map(({ node, tasks, writes, bytes }) => ({
      ...(node !== null && { node }),
      ...{ tasks, writes, bytes, meanBytes: bytes / writes },
    })),
    tasks: largest("task").map((row) => statsOf(row.thread_id, row)),
  };
}

function statsOf(
  threadId: string,
  { checkpoint_ns, checkpoint_id, task_id, task_path, writes, bytes }: TaskSizeRow,
): TaskStats {
  const node = nodeOfPath(task_path);
  return {
    threadId,
    checkpointNs: checkpoint_ns,
    checkpointId: checkpoint_id,
    taskId: task_id,
    taskPath: task_path,
    ...(node !== undefined && { node }),
    ...{ writes, bytes, meanBytes: bytes / writes },
  };
}
