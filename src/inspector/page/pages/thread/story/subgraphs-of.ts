import type { StoryStep, StoryTasks } from "../../../../api/story.js";
import type { NamespaceSummary } from "../../../../api/threads.js";

/** A run of a subgraph within a step. */
export interface StepSubgraph {
  readonly summary: NamespaceSummary;
  /** The node that called it, and the number of the call if there are several. */
  readonly name: string;
}

/** The time of a step by the ids of checkpoints, which are in its order. */
export interface StepTime {
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** When the tasks of a step ran: from the checkpoint before it to its own; open ones since its own. */
export function stepTimeOf(step: StoryStep, isOpen: boolean): StepTime {
  return isOpen
    ? { after: step.checkpointId, before: undefined }
    : { after: step.parentId, before: step.checkpointId };
}

/**
 * Finds the runs of subgraphs that the tasks of a step have called. Their namespaces have the ids of the tasks. A subgraph that keeps its
 * state has one namespace for all its runs, so each step of its node has it.
 */
export function subgraphsOf(
  namespaces: readonly NamespaceSummary[],
  { tasks }: StoryTasks,
  { namespace, time }: { readonly namespace: string; readonly time: StepTime },
): StepSubgraph[] {
  const prefix = namespace === "" ? "" : `${namespace}|`;
  return namespaces.flatMap((summary) => {
    const child = childOf(summary.namespace, prefix);
    if (child === undefined) return [];
    const { node, taskId, call } = child;
    const isOfStep = tasks.some((task) => {
      if (taskId !== undefined && task.taskIds.length > 0) return task.taskIds.includes(taskId);
      return task.node === node && (taskId === undefined || isWithin(summary.checkpointId, time));
    });
    return isOfStep ? [{ summary, name: call === undefined ? node : `${node}, call ${call}` }] : [];
  });
}

/** Reads the last part of a namespace: `node:task`, `node:task|1` for further calls, or `node`. */
function childOf(
  namespace: string,
  prefix: string,
): { node: string; taskId: string | undefined; call: number | undefined } | undefined {
  if (namespace === "" || !namespace.startsWith(prefix)) return undefined;
  const [first = "", ...others] = namespace.slice(prefix.length).split("|");
  if (first === "" || /^\d+$/.test(first) || others.some((part) => !/^\d+$/.test(part))) return undefined;
  const [, node = first, taskId] = /^(.*):([^:]*)$/s.exec(first) ?? [];
  const call = others.length === 0 ? undefined : Number(others[0]) + 1;
  return { node, taskId, call };
}

function isWithin(checkpointId: string, { after, before }: StepTime): boolean {
  return (after === undefined || checkpointId > after) && (before === undefined || checkpointId < before);
}
