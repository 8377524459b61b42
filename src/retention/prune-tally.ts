import type { NamespaceKey } from "../saver/model/checkpoint-key.js";
import { rowKey } from "../saver/model/row-key.js";
import { addCounts, NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import type { PruneProgress, PruneReport } from "./retention-types.js";

/** Keeps count of what goes, and tells of it. */
export class PruneTally {
  readonly #onProgress: (progress: PruneProgress) => void;
  #counts = NO_ROWS;
  #namespacesDone = 0;
  /** Those of the pages before. */
  #threadsBefore = 0;
  #namespacesBefore = 0;
  /** Those of this page that lost something. */
  #threads = new Set<string>();
  readonly #namespaces = new Set<string>();

  #missing: readonly string[] = [];

  constructor(onProgress: (progress: PruneProgress) => void) {
    this.#onProgress = onProgress;
  }

  /** Notes that other namespaces follow. Only `threadId` may have had some already: so nothing grows with the number of threads. */
  startPage(threadId: string | undefined): void {
    const goesOn = threadId !== undefined && this.#threads.has(threadId);
    this.#threadsBefore += this.#threads.size - (goesOn ? 1 : 0);
    this.#threads = new Set(goesOn ? [threadId] : []);
    this.#namespacesBefore += this.#namespaces.size;
    this.#namespaces.clear();
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

  addMissing(threads: readonly string[]): void {
    this.#missing = [...this.#missing, ...threads];
  }

  report(dryRun: boolean): PruneReport {
    return {
      ...this.#counts,
      threads: this.#threadsBefore + this.#threads.size,
      namespaces: this.#namespacesBefore + this.#namespaces.size,
      missing: this.#missing,
      dryRun,
    };
  }

  #noteLoss({ threadId, checkpointNs }: NamespaceKey): void {
    this.#threads.add(threadId);
    this.#namespaces.add(rowKey(threadId, checkpointNs));
  }

  #tell({ threadId, checkpointNs }: NamespaceKey): void {
    this.#onProgress({ ...this.#counts, threadId, checkpointNs, namespacesDone: this.#namespacesDone });
  }
}
