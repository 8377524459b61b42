import type { CallContext } from "../db/call-context.js";
import type { TaskReport, TaskStats } from "./audit-types.js";
import { nodeOfPath } from "../saver/model/keys.js";
import { type AllTasksScope, measureAllTasks, type MeasuredTaskRow } from "./queries/measure-all-tasks.js";
import { measureTasks, type TaskScope, type TaskSizeRow } from "./queries/measure-tasks.js";

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
