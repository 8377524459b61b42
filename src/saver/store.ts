import type { CallContext } from "../db/call-context.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { newestSteps } from "./newest-steps.js";
import { storeAndOffer } from "./notifications/local-watches.js";
import { notificationScope } from "./notifications/watch-channel.js";
import { bindPut, type EncodedCheckpoint, isStored, putCheckpoint } from "./queries/put-checkpoint.js";
import { type EncodedWrites, putPendingWrites } from "./queries/put-pending-writes.js";
import { statementBytesOf, storeOperations } from "./store-operations.js";
import { writeGuard } from "./write-guard.js";
import type { SaverCall } from "./call/saver-call.js";

/** Stores a checkpoint: in one statement, or in a transaction of several where it is long or rules are to be kept. */
export async function storeCheckpoint(call: SaverCall, checkpoint: EncodedCheckpoint): Promise<void> {
  const operation = { kind: "put", checkpoint } as const;
  const guard = writeGuard(call, [operation]);
  const isPlain = guard.length === 0 && !isLong(call, checkpoint.blobs);
  await storeAndOffer(call, [operation], async () => {
    if (!isPlain) await storeOperations(call, [operation], [], guard);
    else if (!(await storePlain(call, checkpoint))) {
      await storeOperations(call, [operation], [checkpoint]);
    }
  });
}

/** @returns Whether it was stored: not if its parent is gone, whose blobs it counts on. */
async function storePlain(call: SaverCall, checkpoint: EncodedCheckpoint): Promise<boolean> {
  if (call.policy.keepsNewest !== true) return putCheckpoint(call, checkpoint, notificationScope(call));
  const { guard, removal } = newestSteps(call, [checkpoint]);
  const put = bindPut(call.schema, checkpoint, notificationScope(call));
  const [rows = []] = await runTransaction(call, { guard, statements: [put, ...removal] });
  return isStored(checkpoint, rows);
}

/** Stores the writes of a task: in one statement, or in a transaction of several as {@link storeCheckpoint} does. */
export async function storeWrites(call: SaverCall, writes: EncodedWrites): Promise<void> {
  const operation = { kind: "putWrites", writes } as const;
  const guard = writeGuard(call, [operation]);
  const isPlain = guard.length === 0 && !isLong(call, writes.writes);
  await (isPlain ? putPendingWrites(call, writes) : storeBatch(call, [operation], guard));
}

/**
 * Does what a batch has collected: all of it or nothing, in one statement, or in a transaction of several where threads
 * are deleted, there is very much to store, or rules are to be kept. Whatever is deleted is deleted first: a statement
 * can't delete and insert the same row.
 */
export async function storeBatch(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[] = writeGuard(call, operations),
): Promise<void> {
  await storeAndOffer(call, operations, () => storeOperations(call, operations, [], guard));
}

function isLong(call: CallContext, values: readonly { readonly blob: Uint8Array | null }[]): boolean {
  return values.reduce((sum, { blob }) => sum + (blob?.byteLength ?? 0), 0) > statementBytesOf(call);
}
