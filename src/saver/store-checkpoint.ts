import type { SaverCall } from "./call/saver-call.js";
import { writingThreads } from "./call/writing-threads.js";
import { bytesOfValues } from "./codec/call-size.js";
import { type BatchOperation, threadOf } from "./codec/resolve-batch.js";
import { localOffers } from "./notifications/local-watches.js";
import type { EncodedCheckpoint } from "./queries/encoded-checkpoint.js";
import type { EncodedWrites } from "./queries/put-pending-writes.js";
import { statementBytesOf } from "../db/size-limits.js";
import { storingOf } from "./storing-strategy.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import { loadOnce } from "../db/async/load-once.js";
import type { GuardOptions } from "./write-guard.js";

// Most calls take neither a transaction of several statements nor checks.
const loadTransactions = /* @__PURE__ */ loadOnce(() => import("./store-in-transaction.js"));
const NO_GUARD: readonly GuardStep[] = [];
const loadGuard = /* @__PURE__ */ loadOnce(() => import("./write-guard.js"));

/**
 * Stores a checkpoint: in one statement, or in a transaction of several where it is long or the saver has rules to check.
 *
 * @throws CheckpointNotFoundError where the checkpoint requires its parent, and the parent is not stored.
 */
export async function storeCheckpoint(base: SaverCall, checkpoint: EncodedCheckpoint): Promise<void> {
  const call = writingThreads(base, () => [checkpoint.threadId]);
  const operation = { kind: "put", checkpoint } as const;
  const offers = localOffers(call, [operation]);
  const guard = await guardOf(call, [operation]);
  const isShort = bytesOfValues(checkpoint.blobs) <= statementBytesOf(call);
  const isDone = isShort && (await storeShort(call, operation, guard));
  if (!isDone) await storeInTransaction(call, [operation], guard);
  offers.deliver([operation]);
}

/** Stores the writes of a task: in one statement, or in a transaction of several as {@link storeCheckpoint} does. */
export async function storeWrites(base: SaverCall, writes: EncodedWrites): Promise<void> {
  const call = writingThreads(base, () => [writes.threadId]);
  const operation = { kind: "putWrites", writes } as const;
  const guard = await guardOf(call, [operation]);
  if (guard.length > 0 || bytesOfValues(writes.writes) > statementBytesOf(call))
    await storeInTransaction(call, [operation], guard);
  else await storeShort(call, operation, guard);
}

async function storeShort(
  call: SaverCall,
  operation: BatchOperation,
  guard: readonly GuardStep[],
): Promise<boolean> {
  const [isStored = false] = await (await storingOf(call)).store(call, [operation], guard);
  return isStored;
}

/**
 * Stores and deletes what a batch has collected, all of it or nothing: in one statement, or in a transaction of several where
 * threads are deleted, values are long, or the saver has rules to check. Deletions come first, since one statement can't delete
 * and insert the same row.
 */
export async function storeBatch(base: SaverCall, operations: readonly BatchOperation[]): Promise<void> {
  const call = writingThreads(base, () => operations.map(threadOf));
  const offers = localOffers(call, operations);
  await storeInTransaction(call, operations, await guardOf(call, operations));
  for (const operation of operations) {
    if (operation.kind === "deleteThread") call.policy.memory?.forgetThread(operation.threadId);
  }
  offers.deliver(operations);
}

/** Returns the checks of the saver's rules, and no promise where a call has none. A batch may be about several threads, which are locked. */
export function guardOf(
  call: SaverCall,
  operations: readonly BatchOperation[],
  options: GuardOptions = {},
): readonly GuardStep[] | Promise<readonly GuardStep[]> {
  const { concurrency, keepTombstones } = call.policy;
  const hasRules = concurrency === "optimistic" || keepTombstones === true;
  const isBatch = operations.length > 1 && options.asGroup !== true;
  return hasRules || isBatch ? loadedGuard(call, operations, options) : NO_GUARD;
}

async function loadedGuard(
  ...given: readonly [SaverCall, readonly BatchOperation[], GuardOptions]
): Promise<readonly GuardStep[]> {
  const { writeGuard } = await loadGuard();
  return writeGuard(...given);
}

async function storeInTransaction(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
): Promise<void> {
  const { storeOperations } = await loadTransactions();
  await storeOperations(call, operations, { guard });
}
