import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "./call/saver-call.js";
import { MissingParents, requiredParents } from "./codec/required-parents.js";
import { type BatchOperation, checkpointsOf, resolveBatch, threadOf } from "./codec/resolve-batch.js";
import { baseGuard, parentGuard } from "./held-guards.js";
import type { NamespaceKey } from "./model/checkpoint-key.js";
import { rowKey } from "./model/row-key.js";
import { newestSteps } from "./newest-steps.js";
import { isInsertedBlob } from "./queries/insert-blobs.js";
import { putRowsOfThread } from "./queries/rows-of-thread.js";
import { threadGroups } from "./queries/thread-groups.js";
import { transactAndNotify } from "./transact-and-notify.js";

/**
 * Stores operations without deletions in one transaction, where Citus distributes the tables. First it locks what the operations
 * require, and then it stores thread by thread: Citus sends each statement to the node of its thread as it is.
 *
 * @returns How many new values were inserted in each namespace, by `rowKey`; `undefined` where nothing was stored, because something that
 *   an operation requires is gone.
 */
export async function storeOnNodes(
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

/** How many new values {@link storeOnNodes} has inserted in the namespace of a checkpoint. */
export function insertedIn(
  { threadId, checkpointNs }: NamespaceKey,
  inserted: ReadonlyMap<string, number>,
): number {
  return inserted.get(rowKey(threadId, checkpointNs)) ?? 0;
}
