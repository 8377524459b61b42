import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type BaseCheckpointSaver,
  type CheckpointPendingWrite,
  type PendingWrite,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import { compareText } from "../../saver/model/compare-text.js";

/** Sorts before every path of LangGraph, which begins with `~__pregel_`, and `LATE` after every one. */
const EARLY = "";
const LATE = "~~";
const RANK_DIGITS = 10;

/** LangGraph stores answers under this id until a task takes them. They are no writes of a task. */
const NO_TASK = "00000000-0000-0000-0000-000000000000";

/** The writes of a task: those that have a position of their own, such as interrupts, and the others in their order. */
interface TaskWrites {
  readonly taskId: string;
  readonly special: PendingWrite[];
  readonly regular: PendingWrite[];
}

/**
 * Stores the pending writes of a checkpoint. What is stored already stays, except special writes, of which the last one counts.
 *
 * A tuple has its writes in the order in which LangGraph applies them, but not the paths of tasks, by which savers order them. Where the
 * order is not that of the ids of tasks, each task gets its place as its path, so that a channel that is rebuilt from writes has the same
 * value.
 */
export async function copyWrites(
  target: BaseCheckpointSaver,
  config: RunnableConfig,
  writes: readonly CheckpointPendingWrite[],
): Promise<void> {
  const tasks = byTask(writes);
  const pathOf = taskPaths(tasks);
  for (const [rank, { taskId, special, regular }] of tasks.entries()) {
    const path = pathOf(rank);
    if (regular.length > 0) await target.putWrites(config, regular, taskId, path);
    if (special.length > 0) await target.putWrites(config, special, taskId, path);
  }
}

function byTask(writes: readonly CheckpointPendingWrite[]): readonly TaskWrites[] {
  const tasks = new Map<string, TaskWrites>();
  for (const [taskId, channel, value] of writes) {
    const task = tasks.get(taskId) ?? { taskId, special: [], regular: [] };
    tasks.set(taskId, task);
    // Together with special writes, the others would get other positions.
    (Object.hasOwn(WRITES_IDX_MAP, channel) ? task.special : task.regular).push([channel, value]);
  }
  return [...tasks.values()];
}

/**
 * Decides the paths of tasks by their places. A task that was interrupted will write with a path of LangGraph's, so the paths of the
 * tasks around it sort before and after those.
 */
function taskPaths(tasks: readonly TaskWrites[]): (rank: number) => string {
  const unfinished = tasks.findIndex(({ taskId, regular }) => regular.length === 0 && taskId !== NO_TASK);
  const isOrdered = tasks.every(({ taskId }, rank) => compareText(tasks[rank - 1]?.taskId ?? "", taskId) < 0);
  if (isOrdered && unfinished === -1) return () => "";
  return (rank) => {
    const prefix = unfinished !== -1 && rank > unfinished ? LATE : EARLY;
    return `${prefix}${String(rank).padStart(RANK_DIGITS, "0")}`;
  };
}
