import { runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "./call/saver-call.js";
import { type BatchOperation, checkpointsOf, threadOf } from "./codec/resolve-batch.js";
import { compareText } from "./model/compare-text.js";
import type { NewestSteps } from "./newest-steps.js";
import { loadOnce } from "../db/async/load-once.js";
import { notificationScope } from "./notifications/watch-channel.js";
import type { EncodedCheckpoint } from "./queries/encoded-checkpoint.js";
import { bindPut, insertedBlobs, isStored } from "./queries/put-checkpoint.js";
import { bindWrites } from "./queries/put-pending-writes.js";
import { rememberValues } from "./remember-values.js";

// The calls of a first run are few.
const loadMany = /* @__PURE__ */ loadOnce(() => import("./store-in-one-statement.js"));
const loadNewest = /* @__PURE__ */ loadOnce(() => import("./newest-steps.js"));
const NO_STEPS: NewestSteps = { guard: [], removal: [] };

/** Returns the steps that keep only the newest checkpoints of each namespace, for a saver with `keepLast`. */
async function newestStepsOf(
  call: SaverCall,
  checkpoints: readonly EncodedCheckpoint[],
): Promise<NewestSteps> {
  if (call.policy.keepLast === undefined) return NO_STEPS;
  const { newestSteps } = await loadNewest();
  return newestSteps(call, checkpoints);
}

/**
 * Up to this many operations have a statement each. The statement for many takes longer to plan than these, which matters for the first
 * calls on a connection, and longer to run.
 */
const FEW = 8;

/** Stores operations in one round trip: each in a statement of its own where they are few, or all of them in one statement; see `Storing`. */
export async function storeInOneRoundTrip(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
): Promise<readonly boolean[]> {
  const checkpoints = checkpointsOf(operations);
  const newest = checkpoints.length === 0 ? NO_STEPS : await newestStepsOf(call, checkpoints);
  const steps = { guard: [...guard, ...newest.guard], removal: newest.removal };
  if (operations.length <= FEW) return storeEach(call, operations, steps);
  const { storeInOneStatement } = await loadMany();
  return storeInOneStatement(call, operations, steps);
}

async function storeEach(
  call: SaverCall,
  operations: readonly BatchOperation[],
  { guard, removal }: NewestSteps,
): Promise<readonly boolean[]> {
  const scope = notificationScope(call);
  // In the order of their threads, so that statements of other processes take their locks in the same order (C2).
  const sent = operations.filter(hasRows).sort((a, b) => compareText(threadOf(a), threadOf(b)));
  const statements = sent.map((operation) => statementOf(call.schema, operation, scope));
  const steps = { guard, statements: [...statements, ...removal], atAnyLevel: removal.length === 0 };
  const rows = await runTransaction<unknown>(call, steps);
  return operations.map((operation) => {
    if (operation.kind !== "put") return true;
    const { checkpoint } = operation;
    const returned = rows[sent.indexOf(operation)] ?? [];
    rememberValues(call, checkpoint, insertedBlobs(returned));
    return isStored(checkpoint, returned);
  });
}

function statementOf(
  schema: string,
  operation: StoringOperation,
  scope: string | undefined,
): BoundStatement<unknown> {
  return operation.kind === "put"
    ? bindPut(schema, operation.checkpoint, scope)
    : bindWrites(schema, operation.writes);
}

type StoringOperation = Exclude<BatchOperation, { kind: "deleteThread" }>;

function hasRows(operation: BatchOperation): operation is StoringOperation {
  return operation.kind === "put" || (operation.kind === "putWrites" && operation.writes.writes.length > 0);
}
