import { runTransaction } from "../db/statements/run-statement.js";
import type { SaverCall } from "./call/saver-call.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { newestSteps } from "./newest-steps.js";
import { localOffers } from "./notifications/local-news.js";
import { toldScope } from "./notifications/watch-channel.js";
import { bindPut, type EncodedCheckpoint, isStored } from "./queries/put-checkpoint.js";
import { type EncodedWrites, putPendingWrites } from "./queries/put-pending-writes.js";
import { statementBytesOf, storeOperations } from "./store-operations.js";
import { writeGuard } from "./write-guard.js";

/**
 * Stores a checkpoint: in one statement, or in a transaction of several where it is long or the saver has rules to check.
 *
 * @throws CheckpointNotFoundError where the checkpoint requires its parent, and the parent is not stored.
 */
export async function storeCheckpoint(call: SaverCall, checkpoint: EncodedCheckpoint): Promise<void> {
  const operation = { kind: "put", checkpoint } as const;
  const offers = localOffers(call, [operation]);
  const guard = writeGuard(call, [operation]);
  const fitsOneStatement = guard.length === 0 && !isLong(call, checkpoint.blobs);
  const isDone = fitsOneStatement && (await storeInOneStatement(call, checkpoint));
  if (!isDone) {
    await storeOperations(call, [operation], { guard, orphans: fitsOneStatement ? [checkpoint] : [] });
  }
  offers.deliver();
}

/** Returns false, and stores nothing, where the checkpoint references values of its parent and the parent is gone. */
async function storeInOneStatement(call: SaverCall, checkpoint: EncodedCheckpoint): Promise<boolean> {
  const { guard, removal } = newestSteps(call, [checkpoint]);
  const put = bindPut(call.schema, checkpoint, toldScope(call));
  const [rows = []] = await runTransaction(call, { guard, statements: [put, ...removal] });
  return isStored(checkpoint, rows);
}

/** Stores the writes of a task: in one statement, or in a transaction of several as {@link storeCheckpoint} does. */
export async function storeWrites(call: SaverCall, writes: EncodedWrites): Promise<void> {
  const operation = { kind: "putWrites", writes } as const;
  const guard = writeGuard(call, [operation]);
  if (guard.length === 0 && !isLong(call, writes.writes)) await putPendingWrites(call, writes);
  else await storeOperations(call, [operation], { guard });
}

/**
 * Stores and deletes what a batch has collected, all of it or nothing: in one statement, or in a transaction of several where
 * threads are deleted, values are long, or the saver has rules to check. Deletions come first, since one statement can't delete
 * and insert the same row.
 */
export async function storeBatch(call: SaverCall, operations: readonly BatchOperation[]): Promise<void> {
  const offers = localOffers(call, operations);
  await storeOperations(call, operations, { guard: writeGuard(call, operations) });
  offers.deliver();
}

function isLong(call: SaverCall, values: readonly { readonly blob: Uint8Array | null }[]): boolean {
  return values.reduce((sum, { blob }) => sum + (blob?.byteLength ?? 0), 0) > statementBytesOf(call);
}
