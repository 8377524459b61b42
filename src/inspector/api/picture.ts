import type { ThreadStatus } from "./threads.js";

/** Which graph to draw, and the checkpoint of the root graph whose next nodes are marked. */
export interface PictureQuery {
  readonly threadId: string;
  readonly checkpointId: string;
  readonly graph: string;
  /** Whether the checkpoint is not the newest. */
  readonly isOlder: boolean;
}

/** A node of a graph, or of a graph within a node. */
export interface PictureNode {
  readonly id: string;
  /** The name within its graph. */
  readonly name: string;
  /** The id of the node that it is in. */
  readonly parent?: string;
}

/** An edge between the nodes with these ids. */
export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  /** Whether code of the graph decides in each run whether it is taken. */
  readonly isConditional: boolean;
  /** What a conditional edge is called, where the graph names it. */
  readonly label?: string;
}

/** What a graph looks like, and where a thread is in it. */
export interface GraphPicture {
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
  /** Whether the graph has more nodes or edges than are drawn. */
  readonly hasMore: boolean;
  /** The nodes that run next, by name. */
  readonly next: readonly string[];
  readonly status: ThreadStatus;
}
