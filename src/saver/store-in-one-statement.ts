import { runTransaction } from "../db/statements/run-statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "./call/saver-call.js";
import { requiredParents } from "./codec/required-parents.js";
import { type BatchOperation, checkpointsOf, resolveBatch } from "./codec/resolve-batch.js";
import { compareText } from "./model/compare-text.js";
import { rowKey } from "./model/row-key.js";
import { newestSteps } from "./newest-steps.js";
import { notificationScope } from "./notifications/watch-channel.js";
import { isPutResult, putRows, type PutResult } from "./queries/put-rows.js";
import { rememberValues } from "./remember-values.js";

export { putRows };

/** Stores operations of several calls in one statement; see `Storing`. */
export async function storeGroupInOneStatement(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
): Promise<readonly boolean[]> {
  const newest = await newestSteps(call, checkpointsOf(operations));
  const required = requiredParents(operations)
    .stored.map(({ parent }) => parent)
    .sort((a, b) => compareText(rowKey(a.threadId, a.checkpointNs), rowKey(b.threadId, b.checkpointNs)));
  const put = putRows(call.schema, resolveBatch(operations), { scope: notificationScope(call), required });
  const [rows = []] = await runTransaction<unknown>(call, {
    guard: [...guard, ...newest.guard],
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

function keyOf({ thread_id, checkpoint_ns }: PutResult): string {
  return rowKey(thread_id, checkpoint_ns);
}
