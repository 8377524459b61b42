import { runTransaction } from "../db/statements/run-statement.js";
import type { SaverCall } from "./call/saver-call.js";
import { requiredParents } from "./codec/required-parents.js";
import { type BatchOperation, resolveBatch } from "./codec/resolve-batch.js";
import { compareText } from "./model/compare-text.js";
import { rowKey } from "./model/row-key.js";
import type { NewestSteps } from "./newest-steps.js";
import { notificationScope } from "./notifications/watch-channel.js";
import { isPutResult, putRows, type PutResult } from "./queries/put-rows.js";
import { rememberValues } from "./remember-values.js";

/**
 * Stores operations of many calls in one statement; see `Storing`.
 *
 * @param steps - What goes before and after the statement in its transaction.
 */
export async function storeInOneStatement(
  call: SaverCall,
  operations: readonly BatchOperation[],
  { guard, removal }: NewestSteps,
): Promise<readonly boolean[]> {
  const required = requiredParents(operations)
    .stored.map(({ parent }) => parent)
    .sort((a, b) => compareText(rowKey(a.threadId, a.checkpointNs), rowKey(b.threadId, b.checkpointNs)));
  const put = putRows(call.schema, resolveBatch(operations), { scope: notificationScope(call), required });
  const [rows = []] = await runTransaction<unknown>(call, { guard, statements: [put, ...removal] });
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
