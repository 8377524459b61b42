import type { CallContext } from "../db/call-context.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";
import { rowKey } from "../saver/model/row-key.js";
import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";
import {
  countWritesOf,
  lockValuesOf,
  type RestoredKeys,
  selectMissingValues,
} from "./queries/restored-values.js";
import { BackupError } from "./backup-error.js";

/**
 * The values and writes of one thread that earlier transactions have restored. Until the checkpoints are stored that
 * reference them, a prune or a deletion may take them for unreferenced.
 */
export class EarlierValues {
  readonly #threadId: string;
  readonly #blobs = new Set<string>();
  /** How many writes there are of each checkpoint that is still to come. */
  readonly #writes = new Map<string, number>();

  constructor(threadId: string) {
    this.#threadId = threadId;
  }

  /** Whether the rows of this thread are meant. */
  isOf(threadId: string | undefined): boolean {
    return threadId === this.#threadId;
  }

  /** Notes what has been committed; rows of other threads are left out. */
  note(rows: {
    readonly checkpoints: readonly RestoredCheckpoint[];
    readonly writes: readonly RestoredWrite[];
    readonly blobs: readonly RestoredBlob[];
  }): void {
    for (const row of rows.blobs.filter(({ thread_id }) => this.isOf(thread_id))) {
      this.#blobs.add(rowKey(row.checkpoint_ns, row.channel, row.version));
    }
    for (const row of rows.writes.filter(({ thread_id }) => this.isOf(thread_id))) {
      const key = rowKey(row.checkpoint_ns, row.checkpoint_id);
      this.#writes.set(key, (this.#writes.get(key) ?? 0) + 1);
    }
    for (const row of rows.checkpoints.filter(({ thread_id }) => this.isOf(thread_id))) {
      this.#writes.delete(rowKey(row.checkpoint_ns, row.checkpoint_id));
    }
  }

  /**
   * To be called in the transaction that has stored the checkpoints: locks what they need, and looks whether it is there.
   *
   * @throws BackupError where somebody has deleted some of it since.
   */
  async requireFor(call: CallContext, checkpoints: readonly RestoredCheckpoint[]): Promise<void> {
    const own = checkpoints.filter(({ thread_id }) => this.isOf(thread_id));
    if (own.length === 0 || (this.#blobs.size === 0 && this.#writes.size === 0)) return;
    const { schema } = call;
    const keys: RestoredKeys = {
      threadId: this.#threadId,
      checkpointNss: own.map((row) => row.checkpoint_ns),
      checkpointIds: own.map((row) => row.checkpoint_id),
    };
    await send(call, lockValuesOf(schema, keys));
    const lost = (await send(call, selectMissingValues(schema, keys))).find((row) =>
      this.#blobs.has(rowKey(row.checkpoint_ns, row.channel, row.version)),
    );
    if (lost !== undefined) throw this.#refusal(lost);
    const stored = new Map(
      (await send(call, countWritesOf(schema, keys))).map((row) => [
        rowKey(row.checkpoint_ns, row.checkpoint_id),
        row.writes,
      ]),
    );
    for (const row of own) {
      const key = rowKey(row.checkpoint_ns, row.checkpoint_id);
      if ((stored.get(key) ?? 0) < (this.#writes.get(key) ?? 0)) throw this.#refusal(row);
    }
  }

  #refusal(row: {
    readonly checkpoint_ns: string;
    readonly checkpoint_id: string;
    readonly channel?: string;
  }): BackupError {
    const { checkpoint_ns: checkpointNs, checkpoint_id: checkpointId, channel } = row;
    return new BackupError(
      `thread "${this.#threadId}" was pruned or deleted while it was imported, and values of checkpoint ` +
        `"${checkpointId}" with it: import it again`,
      { threadId: this.#threadId, checkpointNs, checkpointId, channel },
    );
  }
}

async function send<Row>(call: CallContext, statement: BoundStatement<Row>): Promise<Row[]> {
  const [rows = []] = await runTransaction(call, { statements: [statement] });
  return rows;
}
