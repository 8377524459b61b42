import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type BaseCheckpointSaver,
  type CheckpointPendingWrite,
  type PendingWrite,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import { isObject } from "../../serde/objects/inspect-object.js";

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
function inPlace(tasks: readonly TaskWrites[]): readonly PlacedTask[] {
  const unfinished = tasks.findIndex(({ taskId, regular }) => regular.length === 0 && taskId !== NO_TASK);
  return tasks.map((task, rank) => {
    const prefix = unfinished !== -1 && rank > unfinished ? LATE : EARLY;
    return { ...task, taskPath: `${prefix}${String(rank).padStart(RANK_DIGITS, "0")}` };
  });
}

/** What the savers of this library offer to a copy, beside the methods that all savers have. */
export interface CopyTarget {
  /** How many of the newest checkpoints of a namespace each `put` leaves there. `undefined`: all. */
  readonly keepLast: number | undefined;
  /** Stores writes in one transaction. Unlike `putWrites` it replaces what is stored at the same position, and the paths of the tasks. */
  readonly replaceWrites: (config: RunnableConfig, tasks: readonly PlacedTask[]) => Promise<void>;
}

/** Where a saver has its {@link CopyTarget}. A process may have loaded the package as ESM and as CommonJS. */
export const COPY_TARGET: unique symbol = Symbol.for("langgraph-checkpoint-kysely.copy-target");

/** Returns what a saver offers to a copy; `undefined` for a saver of another library, and one whose `putWrites` was overridden. */
export function copyTargetOf(saver: BaseCheckpointSaver): CopyTarget | undefined {
  const offered: unknown = Reflect.get(saver, COPY_TARGET);
  return isCopyTarget(offered) ? offered : undefined;
}

function isCopyTarget(value: unknown): value is CopyTarget {
  return isObject(value) && typeof Reflect.get(value, "replaceWrites") === "function";
}
