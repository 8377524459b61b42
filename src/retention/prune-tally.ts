import { type NamespaceKey, rowKey } from "../saver/model/keys.js";
import { addCounts, NO_ROWS, numberOfRows, type RowCounts } from "../saver/model/row-counts.js";
import type { PruneProgress, PruneReport, UnprovenOrphans } from "./retention-types.js";
import type { OrphanedValues, OrphanedWrites } from "./find-orphans.js";

/** Sums up what a call deletes, and reports progress. */
export class PruneTally {
  readonly #onProgress: ((progress: PruneProgress) => void) | undefined;
  #counts = NO_ROWS;
  #namespacesDone = 0;
  /** Threads and namespaces of the previous pages that lost rows. */
  #threadsBefore = 0;
  #namespacesBefore = 0;
  /** Threads and namespaces of this page that lost rows. */
  #threads = new Set<string>();
  readonly #namespaces = new Set<string>();
  #missing: readonly string[] = [];
  /** What looks like an orphan and stays. */
  readonly unproven = new UnprovenTally();

  constructor(onProgress?: (progress: PruneProgress) => void) {
    this.#onProgress = onProgress;
  }

  /**
   * Starts a page of other namespaces. Its first thread, `threadId`, may have had namespaces on the previous page; no other
   * thread has. So memory doesn't grow with the number of threads.
   */
  startPage(threadId: string | undefined): void {
    const continues = threadId !== undefined && this.#threads.has(threadId);
    this.#threadsBefore += this.#threads.size - (continues ? 1 : 0);
    this.#threads = new Set(continues ? [threadId] : []);
    this.#namespacesBefore += this.#namespaces.size;
    this.#namespaces.clear();
  }

  /** Adds what a transaction deleted of a namespace. */
  add(namespace: NamespaceKey, counts: RowCounts): void {
    this.#counts = addCounts(this.#counts, counts);
    if (numberOfRows(counts) > 0) {
      this.#threads.add(namespace.threadId);
      this.#namespaces.add(rowKey(namespace.threadId, namespace.checkpointNs));
    }
    this.#reportProgress(namespace);
  }

  /** Marks a namespace as done. */
  end(namespace: NamespaceKey): void {
    this.#namespacesDone++;
    this.#reportProgress(namespace);
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
      unproven: this.unproven.orphans,
      dryRun,
    };
  }

  #reportProgress({ threadId, checkpointNs }: NamespaceKey): void {
    this.#onProgress?.({ ...this.#counts, threadId, checkpointNs, namespacesDone: this.#namespacesDone });
  }
}

/** How many namespaces are named. */
const MAX_NAMED = 1_000;

/** Nothing that looks like an orphan was left. */
export const NO_UNPROVEN: UnprovenOrphans = { blobs: 0, writes: 0, bytes: 0, namespaces: [] };

/** Sums up what looks like an orphan and stays. */
export class UnprovenTally {
  #orphans = NO_UNPROVEN;

  get orphans(): UnprovenOrphans {
    return this.#orphans;
  }

  /**
   * Adds what stays of a namespace.
   *
   * @param head - With the newest checkpoint of the namespace, where it was read.
   */
  add(
    { key, newestId }: { readonly key: NamespaceKey; readonly newestId?: string | null },
    values: OrphanedValues | undefined,
    orphanedWrites?: OrphanedWrites,
  ): void {
    const { blobs, writes, bytes, namespaces } = this.#orphans;
    const left = { blobs: values?.unproven.length ?? 0, writes: orphanedWrites?.unproven ?? 0 };
    if (left.blobs + left.writes === 0) return;
    const reason =
      values?.isUnreadable === true ? "unreadable" : newestId === null ? "no-checkpoint" : "recent";
    this.#orphans = {
      blobs: blobs + left.blobs,
      writes: writes + left.writes,
      bytes: (values?.unproven ?? []).reduce((sum, value) => sum + (value.bytes ?? 0), bytes),
      namespaces: namespaces.length < MAX_NAMED ? [...namespaces, { ...key, ...left, reason }] : namespaces,
    };
  }
}
