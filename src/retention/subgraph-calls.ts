import type { NamespaceKey } from "../saver/model/checkpoint-key.js";
import { UUID6 } from "../saver/model/checkpoint-time.js";
import { compareText } from "../saver/model/compare-text.js";

/** A namespace with what decides what goes of it. */
export interface NamespaceHead {
  readonly key: NamespaceKey;
  readonly newestId: string | null;
  /** The oldest of the newest checkpoints that stay; `null` where there are no others. */
  readonly oldestKeptId: string | null;
  /** Of a subgraph call: the `parents` in the metadata of its newest checkpoint. */
  readonly parents: unknown;
  /** Whether checkpoints of this namespace may go. */
  readonly isMeant: boolean;
}

/** By which ids checkpoints are old enough, or have been missing for long enough. */
export interface Cutoffs {
  /** Only checkpoints with a smaller id go; of any id where it is `undefined`. */
  readonly cutoff: string | undefined;
  /** A checkpoint with a smaller id that is not there will not come any more. */
  readonly orphanCutoff: string;
}

/** LangGraph stands this between the name of a node and the id of its task. */
const TASK_SEPARATOR = ":";

/** And this between the namespaces of a graph and its subgraph. */
const NAMESPACE_SEPARATOR = "|";

/** A checkpoint that a graph was at when it called a subgraph. */
export interface ParentCheckpoint {
  readonly checkpointNs: string;
  readonly checkpointId: string;
}

/**
 * The checkpoints that led to a subgraph call, the nearest first. A call's namespace contains the id of its task; that of a
 * subgraph with `checkpointer: true` does not, outlives each call, and has none here.
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

/** Tells which subgraph calls are over. Namespaces come thread by thread, and in each thread parents before their subgraphs. */
export class SubgraphCalls {
  readonly #cutoffs: Cutoffs;
  #threadId: string | undefined;
  readonly #staying = new Map<string, NamespaceHead>();

  constructor(cutoffs: Cutoffs) {
    this.#cutoffs = cutoffs;
  }

  /**
   * Whether a namespace is that of a subgraph call whose parent checkpoint is gone, or goes, and whose graph has gone on since.
   * The ids of tasks are made of that of their checkpoint, so no other checkpoint can lead there any more.
   *
   * @param isStored - Whether a checkpoint of the thread is there.
   */
  isOver(head: NamespaceHead, isStored: (parent: ParentCheckpoint) => boolean): boolean {
    const { threadId, checkpointNs } = head.key;
    if (threadId !== this.#threadId) this.#staying.clear();
    this.#threadId = threadId;
    const isOver = head.isMeant && head.newestId !== null && this.#hasEnded(head.newestId, head, isStored);
    if (!isOver && head.newestId !== null) this.#staying.set(checkpointNs, head);
    return isOver;
  }

  #hasEnded(newestId: string, head: NamespaceHead, isStored: (parent: ParentCheckpoint) => boolean): boolean {
    const { cutoff, orphanCutoff } = this.#cutoffs;
    if (cutoff !== undefined && !isBefore(newestId, cutoff)) return false;
    const parents = parentsOfCall(head);
    for (const parent of parents) {
      const graph = this.#staying.get(parent.checkpointNs);
      if (graph === undefined) continue;
      // A call that still goes on is newer than all of its graph. So is one whose parent is being stored just now.
      if (compareText(graph.newestId ?? "", newestId) <= 0) return false;
      return this.#goes(parent.checkpointId, graph) || !isStored(parent);
    }
    return parents.length > 0 && isBefore(newestId, orphanCutoff);
  }

  #goes(checkpointId: string, { oldestKeptId, isMeant }: NamespaceHead): boolean {
    const { cutoff } = this.#cutoffs;
    if (!isMeant || oldestKeptId === null || compareText(checkpointId, oldestKeptId) >= 0) return false;
    return cutoff === undefined || isBefore(checkpointId, cutoff);
  }
}

function isBefore(checkpointId: string, cutoff: string): boolean {
  return UUID6.test(checkpointId) && compareText(checkpointId, cutoff) < 0;
}
