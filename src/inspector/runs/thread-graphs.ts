import { InvalidConfigError } from "../../errors/index.js";
import { isObject } from "../../serde/objects/inspect-object.js";
import type { ThreadGraphs } from "../api/runs.js";
import { withConversations } from "../threads/describe-threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { getHistoryPoints } from "../queries/get-history-points.js";
import { RefusedError } from "../refused-error.js";
import { configOfPlace } from "../stored-values/read-stored-value.js";
import { isChannelOfEngine, isNameOfEngine } from "../values/trigger-channels.js";
import { innerMisfitsOf, misfitsOf, namesAtCheckpoint, namesInHistory } from "./written-names.js";
import { graphFor, type InspectedGraph, type InspectedThread } from "./inspected-graph.js";

/** A checkpoint of the root graph that a graph would go on from. */
interface RootCheckpoint {
  readonly threadId: string;
  readonly checkpointId: string;
}

/** A graph that may go on from a checkpoint. */
interface Candidate {
  readonly name: string;
  readonly graph: InspectedGraph;
}

/** Which graphs may go on from a checkpoint. */
export interface BoundGraphs {
  readonly candidates: readonly Candidate[];
  /** The one that the thread belongs to, if that is known. */
  readonly bound?: Candidate;
  readonly reason: string;
}

/** Describes the graphs that may go on from a checkpoint. */
export async function viewThreadGraphs(run: CallRun, place: RootCheckpoint): Promise<ThreadGraphs> {
  return graphsView(await bindGraphs(run, place));
}

export function graphsView({ candidates, bound, reason }: BoundGraphs): ThreadGraphs {
  return {
    graphs: candidates.map(({ name, graph: { nodes, channels = {} } }) => ({
      name,
      nodes: Object.keys(nodes).filter((node) => !isNameOfEngine(node)),
      channels: Object.keys(channels).filter((channel) => !isChannelOfEngine(channel)),
    })),
    ...(bound !== undefined && { graph: bound.name }),
    reason,
  };
}

/**
 * Returns a graph that a person has chosen for a checkpoint.
 *
 * @throws RefusedError where the thread belongs to another graph, or this one can't have written it.
 * @throws InvalidConfigError where there is no such graph, or one that can't continue a thread.
 */
export async function requireGraph(
  run: CallRun,
  name: string,
  place: RootCheckpoint,
): Promise<InspectedGraph> {
  if (!Object.hasOwn(run.context.graphs ?? {}, name))
    throw new InvalidConfigError("args.graph", "is no graph of the inspector");
  const { candidates, reason } = await bindGraphs(run, place);
  const chosen = candidates.find((candidate) => candidate.name === name);
  if (chosen === undefined)
    throw new RefusedError(409, "WRONG_GRAPH", `${quoted(name)} may not go on with this thread: ${reason}`);
  if (isObject(chosen.graph.checkpointer)) return chosen.graph;
  throw new InvalidConfigError(
    "args.graph",
    "is a graph without a checkpointer, so it can't continue a thread",
  );
}

/**
 * Finds the graphs that may go on from a checkpoint. The application knows best; then the metadata; then the names of nodes and channels in
 * the whole thread. Where these don't decide, a person has to.
 */
export async function bindGraphs(run: CallRun, place: RootCheckpoint): Promise<BoundGraphs> {
  if (run.context.graphs === undefined) return { candidates: [], reason: "The inspector has no graphs." };
  const { threadId } = place;
  const [newest] = await getHistoryPoints(run.call, { threadId, namespace: "", before: undefined, limit: 1 });
  const newestId = newest?.checkpoint_id;
  const metadata = newestId === undefined ? {} : await metadataOf(run, { threadId, checkpointId: newestId });
  const thread: InspectedThread = { threadId, metadata };
  const isOlder = place.checkpointId !== newestId;
  const named = await namedGraph(run, thread, isOlder ? await metadataOf(run, place) : metadata);
  const all = await candidatesFor(run, thread, named);
  const written = await namesAtCheckpoint(run, { ...place, namespace: "" }, isOlder);
  const measured = all.map((candidate) => ({ ...candidate, misfits: misfitsOf(candidate.graph, written) }));
  if (named !== undefined) {
    const [bound] = measured;
    const belongs = `The thread belongs to ${quoted(named.name)}: ${named.source}.`;
    if (bound === undefined)
      return { candidates: [], reason: `${belongs} The inspector has no such graph for this thread.` };
    if (bound.misfits.length > 0)
      return { candidates: [], reason: `${belongs} But ${lacking(bound)}, which the thread needs here.` };
    return { candidates: [bound], bound, reason: belongs };
  }
  const possible = measured.filter(({ misfits }) => misfits.length === 0);
  if (possible.length === 0) return { candidates: [], reason: noneReason(measured) };
  const history = await namesInHistory(run, threadId);
  const compared = possible.map((candidate) => ({
    ...candidate,
    misfits: [...misfitsOf(candidate.graph, history.root), ...innerMisfitsOf(candidate.graph, history.inner)],
  }));
  const fitting = compared.filter(({ misfits }) => misfits.length === 0);
  const [only] = fitting;
  if (only === undefined) {
    return {
      candidates: possible,
      reason: `No graph has all that the history of this thread names: ${compared.map(lacking).join("; ")}. Choose one only if an earlier version of it wrote the thread.`,
    };
  }
  if (fitting.length === 1) {
    const who = all.length === 1 ? quoted(only.name) : `Of the inspector’s graphs, only ${quoted(only.name)}`;
    const reason = `${who} has the nodes and channels of this thread.`;
    return { candidates: fitting, bound: only, reason };
  }
  const names = fitting.map(({ name }) => quoted(name)).join(", ");
  return {
    candidates: fitting,
    reason: `Nothing stored tells which of these graphs wrote the thread: ${names} have its nodes and channels.`,
  };
}

interface NamedGraph {
  readonly name: string;
  /** Who names it. */
  readonly source: string;
}

async function namedGraph(
  run: CallRun,
  thread: InspectedThread,
  metadata: InspectedThread["metadata"],
): Promise<NamedGraph | undefined> {
  const name = await run.context.graphOf?.(thread);
  if (typeof name === "string") return { name, source: "the application says so" };
  const { graph_id: id } = metadata;
  if (typeof id === "string" && id !== "") return { name: id, source: "it is the graph_id in the metadata" };
  const [named] = await withConversations(run, [thread]);
  const graph = named?.conversation?.graph_id;
  return typeof graph === "string" && graph !== ""
    ? { name: graph, source: "it is the graph_id of its conversation" }
    : undefined;
}

/** Makes the graphs for a thread: the one that it belongs to, if that is known, else all. */
async function candidatesFor(
  { context: { graphs = {} } }: CallRun,
  thread: InspectedThread,
  named: NamedGraph | undefined,
): Promise<readonly Candidate[]> {
  const wanted = Object.entries(graphs).filter(([name]) => named === undefined || name === named.name);
  const all = await Promise.all(
    wanted.map(async ([name, given]) => ({ name, graph: await graphFor(name, given, thread) })),
  );
  return all.flatMap(({ name, graph }) => (graph === undefined ? [] : [{ name, graph }]));
}

async function metadataOf(
  { context, signal }: CallRun,
  place: RootCheckpoint,
): Promise<InspectedThread["metadata"]> {
  const config = configOfPlace({ ...place, namespace: "" });
  const tuple = await context.saver.getTuple(config, { channels: [], writes: false, signal });
  return { ...tuple?.metadata };
}

interface Misfitting extends Candidate {
  readonly misfits: readonly string[];
}

function noneReason(measured: readonly Misfitting[]): string {
  if (measured.length === 0) return "The inspector has no graph for this thread.";
  return `No graph of the inspector can have written what is stored here: ${measured.map(lacking).join("; ")}.`;
}

/** The most names of a graph's misfits in a reason. */
const MAX_MISFITS = 5;

function lacking({ name, misfits }: Misfitting): string {
  const more = misfits.length > MAX_MISFITS ? ` and ${misfits.length - MAX_MISFITS} more` : "";
  return `${quoted(name)} has ${misfits.slice(0, MAX_MISFITS).join(", ")}${more}`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
