import { isDistributed } from "../db/placement/placement.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "./call/saver-call.js";
import { writingThreads } from "./call/writing-threads.js";
import { type BatchOperation, threadOf } from "./codec/resolve-batch.js";
import { newestSteps } from "./newest-steps.js";
import { localOffers } from "./notifications/local-watches.js";
import { notificationScope } from "./notifications/watch-channel.js";
import type { EncodedCheckpoint } from "./queries/encoded-checkpoint.js";
import { bindPut, insertedBlobs, isStored } from "./queries/put-checkpoint.js";
import { type EncodedWrites, putPendingWrites } from "./queries/put-pending-writes.js";
import { insertedIn, storeOnNodes } from "./store-on-nodes.js";
import { statementBytesOf, storeOperations } from "./store-operations.js";
import { writeGuard } from "./write-guard.js";

/**
 * Stores a checkpoint: in one statement, or in a transaction of several where it is long or the saver has rules to check.
 *
 * @throws CheckpointNotFoundError where the checkpoint requires its parent, and the parent is not stored.
 */
export async function storeCheckpoint(base: SaverCall, checkpoint: EncodedCheckpoint): Promise<void> {
  const call = writingThreads(base, () => [checkpoint.threadId]);
  const operation = { kind: "put", checkpoint } as const;
  const offers = localOffers(call, [operation]);
  const guard = await writeGuard(call, [operation]);
  const isDone = !isLong(call, checkpoint.blobs) && (await storeInOneStatement(call, checkpoint, guard));
  if (!isDone) await storeOperations(call, [operation], { guard });
  offers.deliver();
}

/** Returns false, and stores nothing, where a required parent or the base of a splice is gone. */
async function storeInOneStatement(
  call: SaverCall,
  checkpoint: EncodedCheckpoint,
  guard: readonly GuardStep[],
): Promise<boolean> {
  if (await isDistributed(call)) {
    const inserted = await storeOnNodes(call, [{ kind: "put", checkpoint }], guard);
    if (inserted !== undefined) rememberValues(call, checkpoint, insertedIn(checkpoint, inserted));
    return inserted !== undefined;
  }
  const newest = await newestSteps(call, [checkpoint]);
  const put = bindPut(call.schema, checkpoint, notificationScope(call));
  const [rows = []] = await runTransaction<unknown>(call, {
    guard: [...guard, ...newest.guard],
    statements: [put, ...newest.removal],
  });
  rememberValues(call, checkpoint, insertedBlobs(rows));
  return isStored(checkpoint, rows);
}

/**
 * Remembers the values of a checkpoint that was stored, for the next one. Where a row of the same key was stored before, nobody
 * knows which value it has: then nothing is remembered.
 *
 * @param inserted - How many values were inserted, where this is known.
 */
export function rememberValues(
  { policy: { memory } }: SaverCall,
  checkpoint: EncodedCheckpoint,
  inserted: number | undefined,
): void {
  const { chained, blobs, threadId, checkpointNs, parentCheckpointId } = checkpoint;
  if (memory === undefined || chained === undefined || chained.size === 0) return;
  if (inserted !== blobs.filter(({ isCarried }) => isCarried !== true).length) return;
  const parent =
    parentCheckpointId === null ? undefined : { threadId, checkpointNs, checkpointId: parentCheckpointId };
  memory.remember(checkpoint, chained, parent);
}

/** Stores the writes of a task: in one statement, or in a transaction of several as {@link storeCheckpoint} does. */
export async function storeWrites(base: SaverCall, writes: EncodedWrites): Promise<void> {
  const call = writingThreads(base, () => [writes.threadId]);
  const operation = { kind: "putWrites", writes } as const;
  const guard = await writeGuard(call, [operation]);
  if (guard.length > 0 || isLong(call, writes.writes)) await storeOperations(call, [operation], { guard });
  else if (await isDistributed(call)) await storeOnNodes(call, [operation], guard);
  else await putPendingWrites(call, writes);
}

/**
 * Stores and deletes what a batch has collected, all of it or nothing: in one statement, or in a transaction of several where
 * threads are deleted, values are long, or the saver has rules to check. Deletions come first, since one statement can't delete
 * and insert the same row.
 */
export async function storeBatch(base: SaverCall, operations: readonly BatchOperation[]): Promise<void> {
  const call = writingThreads(base, () => operations.map(threadOf));
  const offers = localOffers(call, operations);
  await storeOperations(call, operations, { guard: await writeGuard(call, operations) });
  for (const operation of operations) {
    if (operation.kind === "deleteThread") call.policy.memory?.forgetThread(operation.threadId);
  }
  offers.deliver();
}

function isLong(call: SaverCall, values: readonly { readonly blob: Uint8Array | null }[]): boolean {
  return values.reduce((sum, { blob }) => sum + (blob?.byteLength ?? 0), 0) > statementBytesOf(call);
}
