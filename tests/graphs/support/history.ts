import type { RunnableConfig } from "@langchain/core/runnables";
import type { StateSnapshot } from "@langchain/langgraph";
import type { CheckpointListOptions } from "@langchain/langgraph-checkpoint";

/** The part of a graph that reads its history. */
export interface WithHistory {
  getStateHistory(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncIterableIterator<StateSnapshot>;
}

/** The whole history of a thread, newest first. */
export async function historyOf(
  graph: WithHistory,
  config: RunnableConfig,
  options?: CheckpointListOptions,
): Promise<StateSnapshot[]> {
  const snapshots: StateSnapshot[] = [];
  for await (const snapshot of graph.getStateHistory(config, options)) snapshots.push(snapshot);
  return snapshots;
}

/** The newest state of a thread in which `node` was to run next. */
export async function stateBefore(
  graph: WithHistory,
  config: RunnableConfig,
  node: string,
): Promise<StateSnapshot> {
  const found = (await historyOf(graph, config)).find(({ next }) => next.includes(node));
  if (found === undefined) throw new Error(`"${node}" was never next in this thread`);
  return found;
}
