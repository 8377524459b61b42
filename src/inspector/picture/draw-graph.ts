import { z } from "zod";
import { parse } from "../../parsing/parse.js";
import type { GraphPicture, PictureEdge, PictureNode, PictureQuery } from "../api/picture.js";
import type { CallRun } from "../calls/call-definition.js";
import { messageOfGraph } from "../message-of.js";
import { RefusedError } from "../refused-error.js";
import type { InspectedGraph } from "../runs/inspected-graph.js";
import { requireGraph } from "../runs/thread-graphs.js";
import { readStates } from "../states/read-states.js";

/** More of them would be no picture. */
const MAX_NODES = 200;
const MAX_EDGES = 600;
const MAX_TEXT = 200;

const drawing = z.object({
  nodes: z.record(z.string(), z.unknown()),
  edges: z.array(
    z.object({
      ...{ source: z.string(), target: z.string() },
      ...{ data: z.unknown().optional(), conditional: z.boolean().nullish() },
    }),
  ),
});
type Drawing = z.infer<typeof drawing>;

/**
 * Returns the nodes and edges of the graph of a thread, with the graphs within its nodes, and what runs next.
 *
 * @throws RefusedError where the graph can't be drawn.
 */
export async function drawGraph(run: CallRun, { isOlder, ...query }: PictureQuery): Promise<GraphPicture> {
  const graph = await requireGraph(run, query.graph, query);
  const place = { threadId: query.threadId, namespace: "", checkpointId: query.checkpointId };
  const [{ nodes, edges }, [state]] = await Promise.all([
    drawingOf(graph),
    readStates(run, [place], { isOlder }),
  ]);
  const shown = Object.keys(nodes).slice(0, MAX_NODES);
  const ids = new Set(shown);
  const between = edges.filter(({ source, target }) => ids.has(source) && ids.has(target));
  return {
    nodes: shown.map(nodeOf),
    edges: between.slice(0, MAX_EDGES).map(edgeOf),
    hasMore: Object.keys(nodes).length > MAX_NODES || between.length > MAX_EDGES,
    next: state?.next ?? [],
    status: state?.status ?? "done",
  };
}

async function drawingOf(graph: InspectedGraph): Promise<Drawing> {
  if (graph.getGraphAsync === undefined)
    throw new RefusedError(
      422,
      "NO_PICTURE",
      "the graph has no getGraphAsync, which tells its nodes and edges",
    );
  try {
    const whole = parse(drawing, await graph.getGraphAsync({ xray: true }), "drawing");
    // Of a large graph, its own nodes tell more than a part of all.
    if (Object.keys(whole.nodes).length <= MAX_NODES) return whole;
    return parse(drawing, await graph.getGraphAsync({}), "drawing");
  } catch (error) {
    throw new RefusedError(422, "NO_PICTURE", `the graph can't be drawn: ${messageOfGraph(error)}`);
  }
}

/** No name of a node has a colon, which LangGraph puts between a node and those within it. */
function nodeOf(id: string): PictureNode {
  const end = id.lastIndexOf(":");
  return end === -1 ? { id, name: id } : { id, name: id.slice(end + 1), parent: id.slice(0, end) };
}

function edgeOf({ source, target, data, conditional }: Drawing["edges"][number]): PictureEdge {
  const edge = { from: source, to: target, isConditional: conditional === true };
  // A name that only repeats where the edge leads to tells nothing.
  return typeof data === "string" && data !== target ? { ...edge, label: data.slice(0, MAX_TEXT) } : edge;
}
