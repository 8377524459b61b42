import type { ExportedThread } from "../backup/export-threads.js";
import type { UnprovenTally } from "../retention/prune-tally.js";
import { addCounts, NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import type { NamespaceKey } from "../saver/model/keys.js";
import type { RetentionRequest } from "../retention/boundary/parse-prune.js";
import type { RowDigests } from "../backup/row-digests.js";

/** What is archived of a thread: it is written to a file, and removed once the file has been read back. */
export interface ArchivePart extends ExportedThread {
  /** About how many rows it has. */
  readonly size: number;
  /** Deletes the rows that the file holds, and leaves those that have changed since. */
  readonly remove: (archived: RowDigests) => Promise<Removal>;
}

/** What was deleted of a part. */
export interface Removal extends RowCounts {
  /** Whether rows stayed, because they changed or came after the part was exported. */
  readonly isChanged: boolean;
}

/** What finding the parts of an archive tells besides them. */
export interface PartListener {
  /** Called with named threads that have no rows. */
  readonly onMissing: (threads: readonly string[]) => void;
  /** Counts what looks like an orphan and stays. */
  readonly unproven: UnprovenTally;
}

/** Reports the rows that were removed so far, as `prune` does. */
export class RemovalProgress {
  readonly #onProgress: RetentionRequest["onProgress"];
  #counts: RowCounts = NO_ROWS;
  #namespacesDone = 0;

  constructor(onProgress: RetentionRequest["onProgress"]) {
    this.#onProgress = onProgress;
  }

  /** @param namespaces - How many namespaces are done now. */
  add({ threadId, checkpointNs }: NamespaceKey, counts: RowCounts, namespaces = 0): void {
    this.#counts = addCounts(this.#counts, counts);
    this.#namespacesDone += namespaces;
    this.#onProgress?.({ ...this.#counts, threadId, checkpointNs, namespacesDone: this.#namespacesDone });
  }
}
