import { loadOnce } from "../../db/async/load-once.js";
import { runTransaction } from "../../db/statements/run-statement.js";
import type { GuardStep } from "../../db/statements/transaction-steps.js";
import type { SaverCall } from "../call/saver-call.js";
import { type BatchOperation, checkpointsOf, threadOf } from "../codec/resolve-batch.js";
import { compareText } from "../model/keys.js";
import { notificationScope } from "../notifications/watch-channel.js";
import { bindPut, insertedBlobs, isStored } from "../queries/put-checkpoint.js";
import { bindWrites } from "../queries/put-pending-writes.js";
import type { NewestSteps } from "./newest-steps.js";
import type { EncodedCheckpoint } from "../queries/checkpoint-rows.js";

// The calls of a first run are few.
const loadNewest = loadOnce(() => import("./newest-steps.js"));
const NO_STEPS: NewestSteps = { guard: [], removal: [] };

/**
 * Stores operations, none of which is a deletion, with a statement for each.
 *
 * @returns Whether each was stored. A checkpoint is not where a required parent or the base of a splice is gone.
 */
export async function storeEach(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
): Promise<readonly boolean[]> {
  const newest = call.policy.keepLast === undefined ? NO_STEPS : await newestOf(call, operations);
  const scope = notificationScope(call);
  // In the order of their threads, so that statements of other processes take their locks in the same order (C2).
  const sent = operations.filter(hasRows).sort((a, b) => compareText(threadOf(a), threadOf(b)));
  const statements = sent.map((operation) =>
    operation.kind === "put"
      ? bindPut(call.schema, operation.checkpoint, scope)
      : bindWrites(call.schema, operation.writes),
  );
  const rows = await runTransaction<unknown>(call, {
    guard: [...guard, ...newest.guard],
    statements: [...statements, ...newest.removal],
    atAnyLevel: newest.removal.length === 0,
  });
  return operations.map((operation) => {
    if (operation.kind !== "put") return true;
    const { checkpoint } = operation;
    const returned = rows[sent.indexOf(operation)] ?? [];
    rememberValues(call, checkpoint, insertedBlobs(returned));
    return isStored(checkpoint, returned);
  });
}

async function newestOf(call: SaverCall, operations: readonly BatchOperation[]): Promise<NewestSteps> {
  const { newestSteps } = await loadNewest();
  return newestSteps(call, checkpointsOf(operations));
}

type StoringOperation = Exclude<BatchOperation, { kind: "deleteThread" }>;

function hasRows(operation: BatchOperation): operation is StoringOperation {
  return operation.kind === "put" || (operation.kind === "putWrites" && operation.writes.writes.length > 0);
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
