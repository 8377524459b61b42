import type { NamespaceKey } from "../checkpoint-key.js";
import { addCounts, NO_ROWS, type RowCounts } from "../row-counts.js";
import type { PruneProgress, PruneReport } from "./pruning.js";

/** Keeps count of what goes, and tells of it. Namespaces come thread by thread. */
export class PruneTally {
  readonly #onProgress: (progress: PruneProgress) => void;
  #counts = NO_ROWS;
  #threads = 0;
  #namespaces = 0;
  #namespacesDone = 0;
  #lastThread: string | undefined;
  #lastNamespace: NamespaceKey | undefined;

  constructor(onProgress: (progress: PruneProgress) => void) {
    this.#onProgress = onProgress;
  }

  /** Notes what a transaction deleted of a namespace. */
  add(namespace: NamespaceKey, counts: RowCounts): void {
    this.#counts = addCounts(this.#counts, counts);
    if (counts.checkpoints + counts.writes + counts.blobs > 0) this.#noteLoss(namespace);
    this.#tell(namespace);
  }

  /** Notes that a namespace is done with. */
  end(namespace: NamespaceKey): void {
    this.#namespacesDone++;
    this.#tell(namespace);
  }

  report(dryRun: boolean): PruneReport {
    return { ...this.#counts, threads: this.#threads, namespaces: this.#namespaces, dryRun };
  }

  #noteLoss(namespace: NamespaceKey): void {
    if (this.#lastNamespace !== namespace) this.#namespaces++;
    this.#lastNamespace = namespace;
    if (this.#lastThread !== namespace.threadId) this.#threads++;
    this.#lastThread = namespace.threadId;
  }

  #tell({ threadId, checkpointNs }: NamespaceKey): void {
    this.#onProgress({ ...this.#counts, threadId, checkpointNs, namespacesDone: this.#namespacesDone });
  }
}
