import type { CheckpointTables } from "../db/checkpoint-tables.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { newestSteps } from "./newest-steps.js";
import { offeringLocally } from "./notifications/local-news.js";
import { toldScope } from "./notifications/watch-channel.js";
import { bindPut, type EncodedCheckpoint, isStored, putCheckpoint } from "./queries/put-checkpoint.js";
import { type EncodedWrites, putPendingWrites } from "./queries/put-pending-writes.js";
import { statementBytesOf, storeOperations } from "./store-operations.js";
import { writeGuard } from "./write-guard.js";
import type { WritableTables } from "./call/write-rules.js";

/** Stores a checkpoint: in one statement, or in a transaction of several where it is long or rules are to be kept. */
export async function storeCheckpoint(tables: WritableTables, checkpoint: EncodedCheckpoint): Promise<void> {
  const operation = { kind: "put", checkpoint } as const;
  const guard = writeGuard(tables, [operation]);
  const isPlain = guard.length === 0 && !isLong(tables, checkpoint.blobs);
  await offeringLocally(tables, [operation], async () => {
    if (!isPlain) await storeOperations(tables, [operation], [], guard);
    else if (!(await storePlain(tables, checkpoint))) {
      await storeOperations(tables, [operation], [checkpoint]);
    }
  });
}

/** @returns Whether it was stored: not if its parent is gone, whose blobs it counts on. */
async function storePlain(tables: WritableTables, checkpoint: EncodedCheckpoint): Promise<boolean> {
  if (tables.keepsNewest !== true) return putCheckpoint(tables, checkpoint, toldScope(tables));
  const { guard, removal } = newestSteps(tables, [checkpoint]);
  const put = bindPut(tables.schema, checkpoint, toldScope(tables));
  const [rows = []] = await runTransaction(tables, { guard, statements: [put, ...removal] });
  return isStored(checkpoint, rows);
}

/** Stores the writes of a task: in one statement, or in a transaction of several as {@link storeCheckpoint} does. */
export async function storeWrites(tables: WritableTables, writes: EncodedWrites): Promise<void> {
  const operation = { kind: "putWrites", writes } as const;
  const guard = writeGuard(tables, [operation]);
  const isPlain = guard.length === 0 && !isLong(tables, writes.writes);
  await (isPlain ? putPendingWrites(tables, writes) : storeBatch(tables, [operation], guard));
}

/**
 * Does what a batch has collected: all of it or nothing, in one statement, or in a transaction of several where threads
 * are deleted, there is very much to store, or rules are to be kept. Whatever is deleted is deleted first: a statement
 * can't delete and insert the same row.
 */
export async function storeBatch(
  tables: WritableTables,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[] = writeGuard(tables, operations),
): Promise<void> {
  await offeringLocally(tables, operations, () => storeOperations(tables, operations, [], guard));
}

function isLong(tables: CheckpointTables, values: readonly { readonly blob: Uint8Array | null }[]): boolean {
  return values.reduce((sum, { blob }) => sum + (blob?.byteLength ?? 0), 0) > statementBytesOf(tables);
}
