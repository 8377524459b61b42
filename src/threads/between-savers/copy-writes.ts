import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { copyTargetOf } from "./copy-target.js";
import { byTask, inPlace } from "./task-writes.js";

/**
 * Stores the pending writes of a checkpoint in the order of the source. A saver of this library replaces what it has of them, also the paths
 * of tasks, so a task that ended later gets its place between those that were copied earlier. Another saver keeps what it has, except special
 * writes, of which the last one counts.
 *
 * @param left - The tasks whose writes stay as they are.
 */
export async function copyWrites(
  target: BaseCheckpointSaver,
  config: RunnableConfig,
  writes: readonly CheckpointPendingWrite[],
  left: ReadonlySet<string>,
): Promise<void> {
  const tasks = inPlace(byTask(writes)).filter(({ taskId }) => !left.has(taskId));
  const own = copyTargetOf(target);
  if (own !== undefined) return own.replaceWrites(config, tasks);
  for (const { taskId, taskPath, special, regular } of tasks) {
    if (regular.length > 0) await target.putWrites(config, [...regular], taskId, taskPath);
    if (special.length > 0) await target.putWrites(config, [...special], taskId, taskPath);
  }
}
