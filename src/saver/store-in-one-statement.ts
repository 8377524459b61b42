import { runTransaction } from "../db/statements/run-statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "./call/saver-call.js";
import { requiredParents } from "./codec/required-parents.js";
import { type BatchOperation, checkpointsOf, resolveBatch } from "./codec/resolve-batch.js";
import { compareText } from "./model/compare-text.js";
import { rowKey } from "./model/row-key.js";
import type { NewestSteps } from "./newest-steps.js";
import { loadOnce } from "../db/async/load-once.js";
import { notificationScope } from "./notifications/watch-channel.js";
import type { EncodedCheckpoint } from "./queries/encoded-checkpoint.js";
import { isPutResult, putRows, type PutResult } from "./queries/put-rows.js";
import { rememberValues } from "./remember-values.js";

const loadNewest = /* @__PURE__ */ loadOnce(() => import("./newest-steps.js"));
const NO_STEPS: NewestSteps = { guard: [], removal: [] };

/** Returns the steps that keep only the newest checkpoints of each namespace, for a saver with `keepLast`. */
export async function newestStepsOf(
  call: SaverCall,
  checkpoints: readonly EncodedCheckpoint[],
): Promise<NewestSteps> {
  if (call.policy.keepLast === undefined) return NO_STEPS;
  const { newestSteps } = await loadNewest();
  return newestSteps(call, checkpoints);
}

/** Stores operations of several calls in one statement; see `Storing`. */
export async function storeGroupInOneStatement(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
): Promise<readonly boolean[]> {
  const newest = await newestStepsOf(call, checkpointsOf(operations));
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
