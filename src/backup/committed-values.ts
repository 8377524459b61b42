import type { CallContext } from "../db/call-context.js";
import { rowKey } from "../saver/model/keys.js";
import type { RestoredCheckpoint } from "../saver/queries/restored-rows.js";
import {
  countStoredWrites,
  lockReferencedValues,
  type RestoredKeys,
  selectMissingValues,
} from "./queries/restored-references.js";
import { BackupError } from "./backup-error.js";
import type { BackupPortion } from "./whole-rows.js";

/**
 * The values and writes of one thread that earlier transactions of an import have committed. A concurrent prune or deletion
 * may delete them as unreferenced until the import stores the checkpoints that reference them.
 */
export class CommittedValues {
  readonly threadId: string;
  readonly #blobs = new Set<string>();
  /** The number of committed writes of each checkpoint that is not stored yet. */
  readonly #writeCounts = new Map<string, number>();

  constructor(threadId: string) {
    this.threadId = threadId;
  }

  /** Adds the rows of a committed transaction. Ignores rows of other threads. */
  add({ checkpoints, writes, blobs }: BackupPortion): void {
    for (const row of blobs.filter(this.#isOfThread)) {
      this.#blobs.add(rowKey(row.checkpoint_ns, row.channel, row.version));
    }
    for (const row of writes.filter(this.#isOfThread)) {
      const key = rowKey(row.checkpoint_ns, row.checkpoint_id);
      this.#writeCounts.set(key, (this.#writeCounts.get(key) ?? 0) + 1);
    }
    for (const row of checkpoints.filter(this.#isOfThread)) {
      this.#writeCounts.delete(rowKey(row.checkpoint_ns, row.checkpoint_id));
    }
  }

  /**
   * Locks the values and writes of checkpoints, and checks that none was deleted since the import committed it. Call it
   * in the transaction that has stored the checkpoints.
   *
   * @throws BackupError when a value or a write is missing.
   */
  async lockAndCheck(call: CallContext, checkpoints: readonly RestoredCheckpoint[]): Promise<void> {
    const own = checkpoints.filter(this.#isOfThread);
    if (own.length === 0 || (this.#blobs.size === 0 && this.#writeCounts.size === 0)) return;
    const keys: RestoredKeys = {
      threadId: this.threadId,
      checkpointNss: own.map((row) => row.checkpoint_ns),
      checkpointIds: own.map((row) => row.checkpoint_id),
    };
    await lockReferencedValues(call, keys);
    const missing = (await selectMissingValues(call, keys)).find((row) =>
      this.#blobs.has(rowKey(row.checkpoint_ns, row.channel, row.version)),
    );
    if (missing !== undefined) throw this.#deletedError(missing);
    const stored = new Map(
      (await countStoredWrites(call, keys)).map((row) => [
        rowKey(row.checkpoint_ns, row.checkpoint_id),
        row.writes,
      ]),
    );
    for (const row of own) {
      const key = rowKey(row.checkpoint_ns, row.checkpoint_id);
      if ((stored.get(key) ?? 0) < (this.#writeCounts.get(key) ?? 0)) throw this.#deletedError(row);
    }
  }

  readonly #isOfThread = (row: { readonly thread_id: string }): boolean => row.thread_id === this.threadId;

  #deletedError(row: {
    readonly checkpoint_ns: string;
    readonly checkpoint_id: string;
    readonly channel?: string;
  }): BackupError {
    const { checkpoint_ns: checkpointNs, checkpoint_id: checkpointId, channel } = row;
    return new BackupError(
      `thread "${this.threadId}" was pruned or deleted during the import, and values of checkpoint ` +
        `"${checkpointId}" were deleted with it: import it again`,
      { threadId: this.threadId, checkpointNs, checkpointId, channel },
    );
  }
}
