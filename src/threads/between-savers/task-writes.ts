import {
  type CheckpointPendingWrite,
  type PendingWrite,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";

/** Sorts before every path of LangGraph, which begins with `~__pregel_`, and `LATE` after every one. */
const EARLY = "";
const LATE = "~~";
const RANK_DIGITS = 10;

/** LangGraph stores answers under this id until a task takes them. They are no writes of a task. */
const NO_TASK = "00000000-0000-0000-0000-000000000000";

/** The writes of a task: those that have a position of their own, such as interrupts, and the others in their order. */
export interface TaskWrites {
  readonly taskId: string;
  readonly special: readonly PendingWrite[];
  readonly regular: readonly PendingWrite[];
}

/** The writes of a task with its place among the tasks of the checkpoint. */
export interface PlacedTask extends TaskWrites {
  readonly taskPath: string;
}

/** Groups the writes of a checkpoint by task, in the order of the first write of each. */
export function byTask(writes: readonly CheckpointPendingWrite[]): readonly TaskWrites[] {
  const tasks = new Map<string, { taskId: string; special: PendingWrite[]; regular: PendingWrite[] }>();
  for (const [taskId, channel, value] of writes) {
    const task = tasks.get(taskId) ?? { taskId, special: [], regular: [] };
    tasks.set(taskId, task);
    // Together with special writes, the others would get other positions.
    (Object.hasOwn(WRITES_IDX_MAP, channel) ? task.special : task.regular).push([channel, value]);
  }
  return [...tasks.values()];
}

/**
 * Gives each task its rank as its path. A tuple has its writes in the order in which LangGraph applies them, but not the paths of tasks, by
 * which savers order them. A task that was interrupted will write with a path of LangGraph's, so the paths of the tasks around it sort before
 * and after those.
 */
export function inPlace(tasks: readonly TaskWrites[]): readonly PlacedTask[] {
  const unfinished = tasks.findIndex(({ taskId, regular }) => regular.length === 0 && taskId !== NO_TASK);
  return tasks.map((task, rank) => {
    const prefix = unfinished !== -1 && rank > unfinished ? LATE : EARLY;
    return { ...task, taskPath: `${prefix}${String(rank).padStart(RANK_DIGITS, "0")}` };
  });
}
