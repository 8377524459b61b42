import { uuid5 } from "@langchain/langgraph-checkpoint";
import { groupBy } from "../../db/group-by.js";
import type { RecordedWriteRow } from "../queries/recorded-writes.js";
import type { ChannelStep } from "./channel-path.js";
import { InvalidConfigError } from "../../errors/index.js";
import { overwriteValue } from "../../saver/codec/special-values.js";
import type { ChannelReducer } from "../../saver/model/channel-reducers.js";

/** The task id of the writes of a command or an input. */
const NULL_TASK_ID = "00000000-0000-0000-0000-000000000000";

/** The prefix of the task paths of state updates. */
const UPDATE_PATH = "~__interrupt__, ";

/** A stored successor of the checkpoint before a step. */
export interface Successor {
  readonly id: string;
  readonly source: string | null;
  readonly version: string | null;
}

/** The writes beside the checkpoint before a step, and the stored successors of the checkpoint. */
interface StepRecord {
  readonly channel: string;
  readonly step: ChannelStep;
  /** The successors in the order of their ids. */
  readonly successors: readonly Successor[];
  /** The writes to the channel, in the order in which LangGraph applies them. */
  readonly writes: readonly RecordedWriteRow[];
}

/** The writes that a step applied, or why they can't be distinguished from others. */
type StepWrites = readonly RecordedWriteRow[] | { readonly problem: string };

/**
 * Selects the writes of one step among all writes beside the checkpoint before it. Tasks, inputs and state updates of every
 * branch that begins at the checkpoint are recorded there.
 */
export function writesOfStep({ channel, step, successors, writes }: StepRecord): StepWrites {
  const { before, after } = step;
  const branches = branchesOf(successors, before.channels.get(channel)?.version ?? null);
  const own = branches.find(({ members }) => members.some(({ id }) => id === after.id));
  const others = branches.filter((branch) => branch !== own);
  const kind = own?.kind;
  if (kind === undefined)
    return { problem: `the metadata of checkpoint "${after.id}" does not name the source of its value` };
  if (others.some((branch) => branch.kind === kind)) {
    return {
      problem: `several branches begin at checkpoint "${before.id}", and their writes can't be distinguished`,
    };
  }
  const updateTask = updateTaskOf(before.id);
  const isUpdate = ({ task_id, task_path }: RecordedWriteRow): boolean =>
    task_path.startsWith(UPDATE_PATH) || task_id === updateTask;
  const isNullTask = ({ task_id }: RecordedWriteRow): boolean => task_id === NULL_TASK_ID;
  if (kind === "input") return writes.filter(isNullTask);
  const hasInput = others.some((branch) => branch.kind === "input");
  if (kind !== "update") return writes.filter((row) => !isUpdate(row) && !(hasInput && isNullTask(row)));
  const ofTasks = writes.filter((row) => !isUpdate(row) && !isNullTask(row));
  const ranBefore = others.some((branch) => branch.members.some(({ id }) => id < after.id));
  if (ofTasks.length === 0 || ranBefore) return writes.filter(isUpdate);
  // A state update applies pending writes only if its config had no checkpoint id, which no row records.
  return { problem: `the state was updated at checkpoint "${before.id}" while writes of tasks were pending` };
}

/** Successors with the same new version of a channel: a checkpoint and its forks. */
interface Branch {
  /** The source of the new value. */
  readonly kind: string | undefined;
  readonly members: readonly Successor[];
}

function branchesOf(successors: readonly Successor[], version: string | null): Branch[] {
  const changed = successors.filter((one) => one.version !== null && one.version !== version);
  return [...groupBy(changed, (one) => one.version).values()].map((members) => ({
    kind: members.find(({ source }) => source !== null && source !== "fork")?.source ?? undefined,
    members,
  }));
}

/** The task id of a state update in engines without task paths. Engines with task paths use it for the first update of a call. */
function updateTaskOf(checkpointId: string): string | undefined {
  try {
    return uuid5("__interrupt__", checkpointId);
  } catch {
    // The id is not a UUID, so that no engine made it.
    return undefined;
  }
}

/**
 * Applies the writes of one step to a channel, as LangGraph does. An `Overwrite` replaces the value of the channel, and all
 * other writes of the step.
 *
 * @throws InvalidConfigError when the reducer fails or returns no usable value.
 */
export function foldStep(
  channel: string,
  reducer: ChannelReducer,
  current: unknown,
  updates: readonly unknown[],
): unknown {
  let value = current;
  let isOverwritten = false;
  for (const [index, update] of updates.entries()) {
    const overwrite = overwriteValue(update);
    if (overwrite !== undefined) {
      // LangGraph takes the first write to an empty channel as its initial value, and applies the other writes to it.
      isOverwritten = !(value === undefined && index === 0);
      value = overwrite.value;
    } else if (!isOverwritten) {
      value = reduce(channel, reducer, value, update);
    }
  }
  return value;
}

function reduce(channel: string, reducer: ChannelReducer, current: unknown, update: unknown): unknown {
  const reducerError = (problem: string, cause?: unknown): InvalidConfigError => {
    const hint =
      current === undefined
        ? ": the channel is empty; give the parameter a default, as in `(current = [], update) => …`"
        : "";
    return new InvalidConfigError(`reducers.${channel}`, `${problem}${hint}`, { channel, cause });
  };
  let value: unknown;
  try {
    value = reducer(current, update);
  } catch (error) {
    throw reducerError("failed", error);
  }
  if (value === undefined) throw reducerError("returned undefined");
  if (current === undefined && isResultOfUndefined(value, update))
    throw reducerError("can't handle undefined");
  return value;
}

/** Whether a value is the result of `current + update` with an undefined `current`. */
function isResultOfUndefined(value: unknown, update: unknown): boolean {
  return Number.isNaN(value) || (typeof update === "string" && value === `undefined${update}`);
}
