import { z } from "zod";
import type { NamespacePlace } from "../api/places.js";
import type { StoryStep, StoryTasks } from "../api/story.js";
import type { CallRun } from "../calls/call-definition.js";
import { getWriters } from "../queries/get-writers.js";
import { readStoredStates } from "../states/read-states.js";
import { lastNodes } from "../values/next-nodes.js";

const names = z.array(z.string()).catch([]);

/**
 * Names the nodes of steps whose parents were deleted, from the metadata of LangGraph 0.x or from what the nodes have seen. It sends
 * statements only if there are such steps.
 */
export async function nodesOfLoneSteps(
  run: CallRun,
  place: NamespacePlace,
  steps: readonly StoryStep[],
): Promise<ReadonlyMap<string, Pick<StoryStep, "ran">>> {
  const lone = steps.filter(
    ({ source, ran }) => source === "loop" && (ran === undefined || ran.tasks.length === 0),
  );
  const places = lone.map(({ checkpointId }) => ({ ...place, checkpointId }));
  if (places.length === 0) return new Map();
  const [writers, states] = await Promise.all([getWriters(run.call, places), readStoredStates(run, places)]);
  const written = new Map(
    writers.map((row) => [row.checkpoint_id, names.parse(JSON.parse(row.nodes_json ?? "[]"))]),
  );
  return new Map(
    lone.flatMap(({ checkpointId, ran }, index) => {
      const state = states[index];
      const ofMetadata = written.get(checkpointId) ?? [];
      const nodes = ofMetadata.length > 0 || state === undefined ? ofMetadata : lastNodes(state.header);
      return nodes.length === 0 ? [] : [[checkpointId, { ran: tasksOf(nodes, ran) }] as const];
    }),
  );
}

function tasksOf(nodes: readonly string[], ran: StoryTasks | undefined): StoryTasks {
  const tasks = nodes.map((node) => ({ node, taskIds: [], isDone: true, isAnswered: false, questions: [] }));
  const nothing = { omitted: 0, tools: [], messages: [], messageCount: 0, isPartial: true };
  return { ...nothing, ...ran, tasks };
}
