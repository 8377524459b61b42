import type { GuardStep } from "../../db/statements/transaction-steps.js";
import type { SaverCall } from "../call/saver-call.js";
import { MissingParents, requiredParents } from "../codec/required-parents.js";
import { type BatchOperation, checkpointsOf, resolveBatch, threadOf } from "../codec/resolve-batch.js";
import { rowKey } from "../model/row-key.js";
import { newestSteps } from "../newest-steps.js";
import { parentGuard } from "../parent-guard.js";
import type { EncodedCheckpoint } from "../queries/encoded-checkpoint.js";
import { threadGroups } from "../queries/thread-groups.js";
import { rememberValues } from "../remember-values.js";
import type { Storing } from "../storing.js";
import { baseGuard } from "./base-guard.js";
import { isInsertedBlob } from "./insert-blobs.js";
import { putRowsOfThread } from "./rows-of-thread.js";
import { transactAndNotify } from "./transact-and-notify.js";

/** Stores what a call has by several statements in one transaction, each for the node of one thread (N1, N5). */
export const storingOnNodes: Storing = {
  /** All of the operations are stored, or none. */
  async store(call, operations, guard) {
    const inserted = await storeByThread(call, operations, guard);
    if (inserted !== undefined) rememberInserted(call, checkpointsOf(operations), inserted);
    return operations.map(() => inserted !== undefined);
  },

  putRows: (call, threadId, rows) => Promise.resolve(putRowsOfThread(call.schema, threadId, rows)),

  transact: transactAndNotify,
};

/**
 * Stores operations without deletions in one transaction. First it locks what the operations require, and then it stores thread by
 * thread.
 *
 * @returns How many new values were inserted in each namespace, by `rowKey`; `undefined` where nothing was stored, because something that
 *   an operation requires is gone.
 */
async function storeByThread(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
): Promise<ReadonlyMap<string, number> | undefined> {
  const newest = await newestSteps(call, checkpointsOf(operations));
  const groups = await threadGroups(call, operations, threadOf);
  const puts = groups.flatMap(({ threadId, items }) =>
    putRowsOfThread(call.schema, threadId, resolveBatch(items)).map((statement) => ({ threadId, statement })),
  );
  try {
    const results = await transactAndNotify(call, operations, {
      guard: [
        ...guard,
        ...newest.guard,
        ...(await parentGuard(call, requiredParents(operations).stored)),
        ...groups.flatMap(({ threadId, items }) => baseGuard(call, threadId, items)),
      ],
      statements: [...puts.map(({ statement }) => statement), ...newest.removal],
    });
    const inserted = new Map<string, number>();
    puts.forEach(({ threadId }, nth) => {
      for (const { checkpoint_ns, is_new_value } of (results[nth] ?? []).filter(isInsertedBlob)) {
        const key = rowKey(threadId, checkpoint_ns);
        inserted.set(key, (inserted.get(key) ?? 0) + Number(is_new_value));
      }
    });
    return inserted;
  } catch (error) {
    // A guard rolls its transaction back by an error.
    if (error instanceof MissingParents) return undefined;
    throw error;
  }
}

function rememberInserted(
  call: SaverCall,
  checkpoints: readonly EncodedCheckpoint[],
  inserted: ReadonlyMap<string, number>,
): void {
  for (const checkpoint of checkpoints) {
    const key = rowKey(checkpoint.threadId, checkpoint.checkpointNs);
    rememberValues(call, checkpoint, inserted.get(key) ?? 0);
  }
}
