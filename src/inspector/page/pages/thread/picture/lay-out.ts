import { graphlib, layout } from "@dagrejs/dagre";
import type { GraphPicture, PictureEdge, PictureNode } from "../../../../api/picture.js";
import { nodeName } from "../../../parts/words.js";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A box by its centre. */
interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A node with its place. */
export interface PlacedNode extends PictureNode, Box {
  /** What stands in it. Empty for the start and the end of a graph within a node. */
  readonly text: string;
  /** Whether the thread goes on here. */
  readonly isCurrent: boolean;
}

/** A node that has a graph within it. */
export interface PlacedGroup extends Box {
  readonly id: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** An edge with its way. */
export interface PlacedEdge extends PictureEdge {
  /** The way as SVG has it. */
  readonly path: string;
  /** The name, and where it stands. */
  readonly name?: Point & { readonly text: string };
}

/** A picture with places. */
export interface LaidOut {
  readonly width: number;
  readonly height: number;
  readonly groups: readonly PlacedGroup[];
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

const MOST_CHARACTERS = 36;
const CHARACTER = 7.5;
const HEIGHT = 34;
/** A node where the thread goes on has a second line. */
const CURRENT_HEIGHT = 50;
const MIN_WIDTH = 76;
const CURRENT_MIN_WIDTH = 120;
const DOT = 12;
const LABEL_HEIGHT = 16;

/** Finds places for the nodes, from top to bottom, so that few edges cross. */
export function layOutGraph({ nodes, edges, next }: GraphPicture): LaidOut {
  const graph = new graphlib.Graph<Spacing & Partial<Box>, Partial<Box>, Way>({
    directed: true,
    compound: true,
    multigraph: true,
  });
  graph.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 40, marginx: 12, marginy: 24 });
  const isNext = new Set(next);
  const groups = [...new Set(nodes.flatMap(({ parent }) => parent ?? []))];
  for (const id of groups) graph.setNode(id, {});
  const measured = nodes.map((node) => {
    const text = textOf(node);
    const isCurrent = node.parent === undefined && isNext.has(node.name);
    const width =
      text === "" ? DOT : Math.max(isCurrent ? CURRENT_MIN_WIDTH : MIN_WIDTH, text.length * CHARACTER + 28);
    const height = isCurrent ? CURRENT_HEIGHT : HEIGHT;
    graph.setNode(node.id, { width, height: text === "" ? DOT : height });
    return { ...node, text, isCurrent };
  });
  for (const { id, parent } of nodes) if (parent !== undefined) graph.setParent(id, parent);
  for (const id of groups) if (id.includes(":")) graph.setParent(id, id.slice(0, id.lastIndexOf(":")));
  for (const [index, { from, to, label }] of edges.entries()) {
    const named = label === undefined ? {} : { width: cut(label).length * CHARACTER, height: LABEL_HEIGHT };
    graph.setEdge(from, to, { ...named, labelpos: "c" }, String(index));
  }
  layout(graph);
  const boxOf = (id: string): Box => {
    const { x = 0, y = 0, width = 0, height = 0 } = graph.node(id);
    return { x, y, width, height };
  };
  const size = graph.graph();
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    groups: groups.map((id) => ({
      ...{ id, text: cut(nodeName(id.slice(id.lastIndexOf(":") + 1))), isCurrent: isNext.has(id) },
      ...boxOf(id),
    })),
    nodes: measured.map((node) => ({ ...node, ...boxOf(node.id) })),
    edges: edges.map((edge, index) => {
      const { points = [], x = 0, y = 0 } = graph.edge(edge.from, edge.to, String(index));
      const { label } = edge;
      return {
        ...edge,
        path: pathOf(points),
        ...(label !== undefined && { name: { text: cut(label), x, y } }),
      };
    }),
  };
}

/** What is known of an edge once it has its place. */
interface Way extends Partial<Point> {
  readonly points?: readonly Point[];
  readonly width?: number;
  readonly height?: number;
  readonly labelpos: "c";
}

/** How the nodes are spread. */
interface Spacing {
  readonly rankdir: "TB";
  readonly nodesep: number;
  readonly ranksep: number;
  readonly marginx: number;
  readonly marginy: number;
}

function textOf({ name, parent }: PictureNode): string {
  return parent !== undefined && (name === "__start__" || name === "__end__") ? "" : cut(nodeName(name));
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
}

/** Draws a way through points as a curve that touches the middle of each part. */
function pathOf([first, ...rest]: readonly Point[]): string {
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return "";
  const curves = rest.slice(0, -1).map((point, index) => {
    const after = rest[index + 1] ?? point;
    return `Q${at(point)} ${at({ x: (point.x + after.x) / 2, y: (point.y + after.y) / 2 })}`;
  });
  return `M${at(first)} ${curves.join(" ")} L${at(last)}`;
}

function at({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}
