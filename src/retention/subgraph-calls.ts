import { type NamespaceKey, compareText } from "../saver/model/keys.js";
import { UUID6 } from "../saver/model/checkpoint-time.js";

/** The facts about a namespace that decide which of its checkpoints are deleted. */
export interface NamespaceHead {
  readonly key: NamespaceKey;
  readonly newestId: string | null;
  /** The oldest of the newest checkpoints that are kept; `null` when there are no other checkpoints. */
  readonly oldestKeptId: string | null;
  /** For a subgraph call, the `parents` in the metadata of its newest checkpoint. */
  readonly parents: unknown;
  /** Whether checkpoints of this namespace may be deleted. */
  readonly isSelected: boolean;
}

/** The ids that separate old checkpoints from recent ones. */
export interface Cutoffs {
  /** Only checkpoints with smaller ids are deleted; with any id when `undefined`. */
  readonly cutoff: string | undefined;
  /** A missing checkpoint with a smaller id will not be stored any more. */
  readonly orphanCutoff: string;
}

/** LangGraph puts this between the name of a node and the id of its task. */
const TASK_SEPARATOR = ":";

/** LangGraph puts this between the namespace of a graph and that of its subgraph. */
const NAMESPACE_SEPARATOR = "|";

/** The checkpoint of a graph from which it called a subgraph. */
export interface ParentCheckpoint {
  readonly checkpointNs: string;
  readonly checkpointId: string;
}

/**
 * The checkpoints of the parent graphs of a subgraph call, nearest first. The namespace of a call contains the id of its task.
 * The namespace of a subgraph with `checkpointer: true` doesn't: it outlives each call, and has no parents here.
 */
export function parentsOfCall({ key: { checkpointNs }, parents }: NamespaceHead): ParentCheckpoint[] {
  if (!checkpointNs.includes(TASK_SEPARATOR) || typeof parents !== "object" || parents === null) return [];
  return Object.entries(parents)
    .flatMap(([ns, id]: [string, unknown]) =>
      typeof id === "string" && (ns === "" || checkpointNs.startsWith(`${ns}${NAMESPACE_SEPARATOR}`))
        ? [{ checkpointNs: ns, checkpointId: id }]
        : [],
    )
    .sort((a, b) => b.checkpointNs.length - a.checkpointNs.length);
}

/** Decides which subgraph calls are over. Pass namespaces thread by thread, and in each thread parents before their subgraphs. */
export class SubgraphCalls {
  readonly #cutoffs: Cutoffs;
  #threadId: string | undefined;
  readonly #keptGraphs = new Map<string, NamespaceHead>();

  constructor(cutoffs: Cutoffs) {
    this.#cutoffs = cutoffs;
  }

  /**
   * Whether a namespace belongs to a subgraph call that is over: its parent checkpoint is or will be deleted, and its parent
   * graph has newer checkpoints. Task ids derive from the id of their checkpoint, so no other checkpoint can make this call.
   *
   * @param isStored - Whether a checkpoint of the thread exists.
   */
  isOver(head: NamespaceHead, isStored: (parent: ParentCheckpoint) => boolean): boolean {
    const { threadId, checkpointNs } = head.key;
    if (threadId !== this.#threadId) this.#keptGraphs.clear();
    this.#threadId = threadId;
    const isOver = head.isSelected && head.newestId !== null && this.#hasEnded(head.newestId, head, isStored);
    if (!isOver && head.newestId !== null) this.#keptGraphs.set(checkpointNs, head);
    return isOver;
  }

  #hasEnded(newestId: string, head: NamespaceHead, isStored: (parent: ParentCheckpoint) => boolean): boolean {
    const { cutoff, orphanCutoff } = this.#cutoffs;
    if (cutoff !== undefined && !isBefore(newestId, cutoff)) return false;
    const parents = parentsOfCall(head);
    for (const parent of parents) {
      const graph = this.#keptGraphs.get(parent.checkpointNs);
      if (graph === undefined) continue;
      // A running call is newer than every checkpoint of its graph. So is a call whose parent is just being stored.
      if (compareText(graph.newestId ?? "", newestId) <= 0) return false;
      return this.#isDeletable(parent.checkpointId, graph) || !isStored(parent);
    }
    return parents.length > 0 && isBefore(newestId, orphanCutoff);
  }

  #isDeletable(checkpointId: string, { oldestKeptId, isSelected }: NamespaceHead): boolean {
    const { cutoff } = this.#cutoffs;
    if (!isSelected || oldestKeptId === null || compareText(checkpointId, oldestKeptId) >= 0) return false;
    return cutoff === undefined || isBefore(checkpointId, cutoff);
  }
}

function isBefore(checkpointId: string, cutoff: string): boolean {
  return UUID6.test(checkpointId) && compareText(checkpointId, cutoff) < 0;
}
