import { isChannelOfEngine, isNameOfEngine, nodeByName } from "../values/trigger-channels.js";
import type { GraphNames, InspectedGraph } from "./inspected-graph.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { hasStoredValue } from "../checkpoints/view-channels.js";
import { type ViewedChannelRow, getChannelRows } from "../queries/channel-rows.js";
import { getHistoryPoints } from "../queries/get-history-points.js";
import { listNamespacesOfThread } from "../queries/namespaces-of-thread.js";
import { readStoredStates, type StoredState } from "../states/read-states.js";
import { describeState } from "../values/next-nodes.js";

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
  return isNameOfEngine(node) || Object.hasOwn(nodes, node);
}

function hasChannel(graph: GraphNames, channel: string): boolean {
  // A trigger is as good as its node.
  if (isChannelOfEngine(channel)) return true;
  // Older versions of LangGraph had a channel for each node, and Python's one for each edge from the start.
  return (
    channel.startsWith("start:") ||
    graph.channels === undefined ||
    Object.hasOwn(graph.channels, channel) ||
    Object.hasOwn(graph.nodes, channel)
  );
}

/** How far back branches are looked for, and how many of them count. The branch of the newest checkpoint counts in full, however long. */
const MAX_POINTS = 1_000;
const MAX_BRANCHES = 20;
/** How many runs of subgraphs count, the latest of each. */
const MAX_NAMESPACES = 1_000;
const MAX_SUBGRAPHS = 20;

/** What a checkpoint itself says: what runs next, and which channels have a value. */
export async function namesAtCheckpoint(
  run: CallRun,
  place: CheckpointPlace,
  isOlder: boolean,
): Promise<WrittenNames> {
  const [[state], rows] = await Promise.all([
    readStoredStates(run, [place]),
    getChannelRows(run.call, place),
  ]);
  return {
    nodes: state === undefined ? [] : describeState(state.header, state.writes, { isOlder }).next,
    channels: rows.filter(hasValue).map(({ channel }) => channel),
  };
}

function hasValue(row: ViewedChannelRow): boolean {
  return row.inline_bytes !== null || hasStoredValue(row);
}

/** What the whole history of a thread names. */
interface HistoryNames {
  readonly root: WrittenNames;
  /** Of subgraphs, by the names of the nodes on the way to them. */
  readonly inner: ReadonlyMap<string, WrittenNames>;
}

/** Reads the names that the history of a thread has. A checkpoint has those of all checkpoints before it. */
export async function namesInHistory(run: CallRun, threadId: string): Promise<HistoryNames> {
  const [points, namespaces] = await Promise.all([
    getHistoryPoints(run.call, { threadId, namespace: "", before: undefined, limit: MAX_POINTS }),
    listNamespacesOfThread(run.call, { threadId, limit: MAX_NAMESPACES }),
  ]);
  const parents = new Set(points.map((point) => point.parent_checkpoint_id));
  const tips = points
    .map((point) => point.checkpoint_id)
    .filter((id) => !parents.has(id))
    .slice(0, MAX_BRANCHES)
    .map((checkpointId) => ({ threadId, namespace: "", checkpointId }));
  const newest = new Map<string, CheckpointPlace>();
  for (const { checkpoint_ns: namespace, checkpoint_id: checkpointId } of namespaces) {
    const way = wayOf(namespace);
    if (way === "" || (newest.get(way)?.checkpointId ?? "") >= checkpointId) continue;
    newest.set(way, { threadId, namespace, checkpointId });
  }
  const subgraphs = [...newest].slice(0, MAX_SUBGRAPHS);
  const states = await readStoredStates(run, [...tips, ...subgraphs.map(([, place]) => place)]);
  return {
    root: namesOf(states.slice(0, tips.length)),
    inner: new Map(subgraphs.map(([way], index) => [way, namesOf([states[tips.length + index]])] as const)),
  };
}

function namesOf(states: readonly (StoredState | undefined)[]): WrittenNames {
  const headers = states.flatMap((state) => (state === undefined ? [] : [state.header]));
  return {
    nodes: distinct(headers.flatMap(({ versionsSeen }) => Object.keys(versionsSeen))),
    channels: distinct(headers.flatMap(({ channelVersions }) => Object.keys(channelVersions))),
  };
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** The names of the nodes in a namespace, such as `research|search` of `research:<task>|1|search:<task>`. */
function wayOf(namespace: string): string {
  const names = namespace.split("|").map((part) => part.split(":")[0] ?? "");
  return names.filter((name) => !/^\d+$/.test(name)).join("|");
}
