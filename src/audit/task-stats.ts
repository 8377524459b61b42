import type { CallContext } from "../db/call-context.js";
import { measureTasks, type TaskScope } from "./queries/measure-tasks.js";
import type { TaskStats } from "./audit-types.js";

/** Measures what tasks wrote; see `taskStats` of the savers. */
export async function taskStats(call: CallContext, scope: TaskScope): Promise<TaskStats[]> {
  const rows = await measureTasks(call, scope);
  return rows.map(({ checkpoint_ns, checkpoint_id, task_id, task_path, writes, bytes }) => ({
    checkpointNs: checkpoint_ns,
    checkpointId: checkpoint_id,
    taskId: task_id,
    taskPath: task_path,
    writes,
    bytes,
    meanBytes: bytes / writes,
  }));
}
