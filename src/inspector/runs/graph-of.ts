import { InvalidConfigError } from "../../errors/index.js";
import { isObject } from "../../serde/objects/type-guards.js";
import type { GraphView } from "../api/runs.js";
import type { CallRun } from "../calls/call-definition.js";
import { graphFor, type InspectedGraph } from "./inspected-graph.js";

/** Which graph a person has chosen, for which thread. */
export interface ChosenGraph {
  readonly graph: string;
  readonly threadId: string;
}

/** @throws InvalidConfigError where there is no such graph, or one that can't continue a thread. */
export async function graphOf(
  { context: { graphs = {} } }: CallRun,
  { graph: name, threadId }: ChosenGraph,
): Promise<InspectedGraph> {
  const given = Object.hasOwn(graphs, name) ? graphs[name] : undefined;
  if (given === undefined) throw new InvalidConfigError("args.graph", "is no graph of the inspector");
  const graph = await graphFor(given, threadId);
  if (isObject(graph.checkpointer)) return graph;
  throw new InvalidConfigError(
    "args.graph",
    "is a graph without a checkpointer, so it can't continue a thread",
  );
}

/** Describes the graphs of the service, as they are for a thread. */
export function viewGraphs({ context: { graphs = {} } }: CallRun, threadId: string): Promise<GraphView[]> {
  return Promise.all(
    Object.entries(graphs).map(async ([name, given]) => {
      const { nodes } = await graphFor(given, threadId);
      return { name, nodes: Object.keys(nodes).filter((node) => !node.startsWith("__")) };
    }),
  );
}
