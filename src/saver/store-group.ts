import { isDistributed } from "../db/placement/placement.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { SaverCall } from "./call/saver-call.js";
import { writingThreads } from "./call/writing-threads.js";
import { requiredParents } from "./codec/required-parents.js";
import { type BatchOperation, checkpointsOf, resolveBatch, threadOf } from "./codec/resolve-batch.js";
import { compareText } from "./model/compare-text.js";
import { rowKey } from "./model/row-key.js";
import { newestSteps } from "./newest-steps.js";
import { notificationScope } from "./notifications/watch-channel.js";
import { isPutResult, putRows, type PutResult } from "./queries/put-rows.js";
import { insertedIn, storeOnNodes } from "./store-on-nodes.js";
import { rememberValues, storeBatch } from "./store.js";
import { writeGuard } from "./write-guard.js";

/**
 * Stores the operations of several calls in one statement, or in one transaction where they are deletions or the saver has rules to
 * check (C14). Each namespace has at most one checkpoint among them.
 *
 * @returns Whether each operation was stored. A checkpoint is not where something that it requires is gone.
 */
export async function storeGroup(
  base: SaverCall,
  operations: readonly BatchOperation[],
): Promise<readonly boolean[]> {
  const call = writingThreads(base, () => operations.map(threadOf));
  if (operations.some(({ kind }) => kind === "deleteThread")) {
    await storeBatch(call, operations);
    return operations.map(() => true);
  }
  if (await isDistributed(call)) return storeGroupOnNodes(call, operations);
  const newest = await newestSteps(call, checkpointsOf(operations));
  const required = requiredParents(operations)
    .stored.map(({ parent }) => parent)
    .sort((a, b) => compareText(rowKey(a.threadId, a.checkpointNs), rowKey(b.threadId, b.checkpointNs)));
  const put = putRows(call.schema, resolveBatch(operations), { scope: notificationScope(call), required });
  const [rows = []] = await runTransaction<unknown>(call, {
    guard: [...(await writeGuard(call, operations, { asGroup: true })), ...newest.guard],
    statements: [put, ...newest.removal],
  });
  const results = rows.filter(isPutResult);
  const stored = new Set(results.filter(({ is_checkpoint }) => is_checkpoint).map(keyOf));
  const inserted = new Map(results.map((result) => [keyOf(result), result.inserted_blobs]));
  return operations.map((operation) => {
    if (operation.kind !== "put") return true;
    const { checkpoint } = operation;
    const key = rowKey(checkpoint.threadId, checkpoint.checkpointNs);
    if (!stored.has(key)) return false;
    rememberValues(call, checkpoint, inserted.get(key) ?? 0);
    return true;
  });
}

/** Stores all of the operations, or none where something that one of them requires is gone. */
async function storeGroupOnNodes(
  call: SaverCall,
  operations: readonly BatchOperation[],
): Promise<readonly boolean[]> {
  const guard = await writeGuard(call, operations, { asGroup: true });
  const inserted = await storeOnNodes(call, operations, guard);
  if (inserted === undefined) return operations.map(() => false);
  for (const checkpoint of checkpointsOf(operations))
    rememberValues(call, checkpoint, insertedIn(checkpoint, inserted));
  return operations.map(() => true);
}

function keyOf({ thread_id, checkpoint_ns }: PutResult): string {
  return rowKey(thread_id, checkpoint_ns);
}
