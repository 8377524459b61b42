import { uuid5 } from "@langchain/langgraph-checkpoint";
import type { RecordedWriteRow } from "../queries/get-writes.js";
import type { ChannelStep } from "./channel-path.js";

/** The task of what a command or an input writes by itself. */
const NULL_TASK_ID = "00000000-0000-0000-0000-000000000000";

/** What the task paths of updates of the state begin with. */
const UPDATE_PATH = "~__interrupt__, ";

/** A stored successor of the checkpoint that a step begins at. */
export interface Successor {
  readonly id: string;
  readonly source: string | null;
  readonly version: string | null;
}

/** What is recorded beside the checkpoint that a step begins at, and who has gone on from there. */
export interface StepRecord {
  readonly channel: string;
  readonly step: ChannelStep;
  /** In the order of their ids. */
  readonly successors: readonly Successor[];
  /** Those of the channel, in the order in which they are applied. */
  readonly writes: readonly RecordedWriteRow[];
}

/** The writes that a step applied, or why they can't be told from others. */
export type StepWrites = readonly RecordedWriteRow[] | { readonly problem: string };

/**
 * Tells the writes of one step from all that are recorded beside the checkpoint that it begins at: tasks that ran from it,
 * inputs, and updates of the state by hand are all recorded there, of every branch that begins there.
 */
export function writesOfStep({ channel, step, successors, writes }: StepRecord): StepWrites {
  const { before, after } = step;
  const branches = branchesOf(successors, before.channels.get(channel)?.version ?? null);
  const own = branches.find(({ members }) => members.some(({ id }) => id === after.id));
  const others = branches.filter((branch) => branch !== own);
  const kind = own?.kind;
  if (kind === undefined) return { problem: `checkpoint "${after.id}" says not where its value comes from` };
  if (others.some((branch) => branch.kind === kind)) {
    return {
      problem: `several branches begin at checkpoint "${before.id}", whose writes can't be told apart`,
    };
  }
  const updateTask = updateTaskOf(before.id);
  const isUpdate = ({ task_id, task_path }: RecordedWriteRow): boolean =>
    task_path.startsWith(UPDATE_PATH) || task_id === updateTask;
  const isNull = ({ task_id }: RecordedWriteRow): boolean => task_id === NULL_TASK_ID;
  if (kind === "input") return writes.filter(isNull);
  const hasInput = others.some((branch) => branch.kind === "input");
  if (kind !== "update") return writes.filter((row) => !isUpdate(row) && !(hasInput && isNull(row)));
  const ofTasks = writes.filter((row) => !isUpdate(row) && !isNull(row));
  const ranBefore = others.some((branch) => branch.members.some(({ id }) => id < after.id));
  if (ofTasks.length === 0 || ranBefore) return writes.filter(isUpdate);
  // An update applies what is pending only where it was not told the checkpoint's id, which is not recorded.
  return { problem: `the state was updated at checkpoint "${before.id}" while writes of tasks were pending` };
}

/** Successors with the same new version of a channel: one, and copies of it. */
interface Branch {
  /** Where its value comes from. */
  readonly kind: string | undefined;
  readonly members: readonly Successor[];
}

function branchesOf(successors: readonly Successor[], version: string | null): Branch[] {
  const byVersion = new Map<string, Successor[]>();
  for (const successor of successors) {
    if (successor.version === null || successor.version === version) continue;
    byVersion.set(successor.version, [...(byVersion.get(successor.version) ?? []), successor]);
  }
  return [...byVersion.values()].map((members) => ({
    kind: members.find(({ source }) => source !== null && source !== "fork")?.source ?? undefined,
    members,
  }));
}

/** The task that engines without task paths record an update of the state under; others so record the first of a call. */
function updateTaskOf(checkpointId: string): string | undefined {
  try {
    return uuid5("__interrupt__", checkpointId);
  } catch {
    // No UUID, so no engine's.
    return undefined;
  }
}
