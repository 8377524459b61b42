import { isEngineChannel, isOfEngine, nodeByName } from "../values/trigger-channels.js";
import type { GraphNames, InspectedGraph } from "./inspected-graph.js";

/** Names that a graph must have to have written a thread. */
export interface WrittenNames {
  readonly nodes: readonly string[];
  readonly channels: readonly string[];
}

/** Says what a graph lacks of these names, such as `no node "pay"`. */
export function misfitsOf(graph: GraphNames, { nodes, channels }: WrittenNames): readonly string[] {
  const started = channels.map(nodeByName).filter((node) => node !== undefined);
  const missingNodes = [...new Set([...nodes, ...started])].filter((node) => !hasNode(graph, node));
  const missingChannels = channels.filter((channel) => !hasChannel(graph, channel));
  return [
    ...missingNodes.map((node) => `no node ${JSON.stringify(node)}`),
    ...missingChannels.map((channel) => `no channel ${JSON.stringify(channel)}`),
  ];
}

/**
 * Says what the graphs within a graph lack.
 *
 * @param written - By the names of the nodes on the way to a graph. One that a node calls by itself can't be looked at, and lacks nothing.
 */
export function innerMisfitsOf(
  graph: InspectedGraph,
  written: ReadonlyMap<string, WrittenNames>,
): readonly string[] {
  if (written.size === 0) return [];
  return [...(graph.getSubgraphs?.(undefined, true) ?? [])].flatMap(([way, inner]) => {
    const names = written.get(way);
    return names === undefined
      ? []
      : misfitsOf(inner, names).map((misfit) => `${misfit} in ${JSON.stringify(way)}`);
  });
}

function hasNode({ nodes }: GraphNames, node: string): boolean {
  return isOfEngine(node) || Object.hasOwn(nodes, node);
}

function hasChannel(graph: GraphNames, channel: string): boolean {
  // A trigger is as good as its node.
  if (isEngineChannel(channel)) return true;
  // Older versions of LangGraph had a channel for each node, and Python's one for each edge from the start.
  return (
    channel.startsWith("start:") ||
    graph.channels === undefined ||
    Object.hasOwn(graph.channels, channel) ||
    Object.hasOwn(graph.nodes, channel)
  );
}
