import type { GuardStep } from "../db/statements/transaction-steps.js";
import { refuseDeleted, writtenThreads } from "./codec/refuse-deleted.js";
import { refuseStale, successors } from "./codec/refuse-stale.js";
import { type BatchOperation, threadOf } from "./codec/resolve-batch.js";
import { type HeadRow, selectHeads } from "./queries/select-heads.js";
import { type LockRow, refuseSnapshots, type TransactionLock, takeLocks } from "./queries/take-locks.js";
import { selectTombstones, type TombstoneRow } from "./queries/tombstones.js";
import type { SaverCall } from "./call/saver-call.js";

/**
 * What must be so before operations are stored, checked in the transaction that stores them. The locks come first, so
 * that what is read after them can't change until the transaction ends.
 *
 * @returns No steps where the rules ask for nothing.
 */
export function writeGuard(
  { schema, policy }: SaverCall,
  operations: readonly BatchOperation[],
): readonly GuardStep[] {
  const following = policy.concurrency === "optimistic" ? successors(operations) : [];
  const written = policy.keepTombstones === true ? writtenThreads(operations) : [];
  const locks = [
    ...(policy.keepTombstones === true ? operations.map(threadLock) : []),
    ...following.map(({ threadId, checkpointNs }) => headLock(threadId, checkpointNs)),
  ];
  if (locks.length === 0) return [];
  const heads: GuardStep<HeadRow> = {
    statement: selectHeads(schema, following),
    check: (rows) => {
      refuseStale(operations, rows);
    },
  };
  const tombstones: GuardStep<TombstoneRow> = {
    statement: selectTombstones(schema, written),
    check: (rows) => {
      refuseDeleted(operations, rows);
    },
  };
  return [
    { statement: takeLocks(schema, locks), check: refuseSnapshots } satisfies GuardStep<LockRow>,
    ...(written.length > 0 ? [tombstones] : []),
    ...(following.length > 0 ? [heads] : []),
  ];
}

/** What must be so before threads are written to by other means: none of them was deleted for good. */
export function tombstoneGuard(call: SaverCall, threadIds: readonly string[]): readonly GuardStep[] {
  const nowhere = { checkpointNs: "", checkpointId: "", taskId: "", taskPath: "", writes: [] };
  return writeGuard(
    call,
    threadIds.map((threadId) => ({ kind: "putWrites", writes: { threadId, ...nowhere } })),
  );
}

/** Whoever deletes a thread for good waits for those who write to it, and they wait for him. */
function threadLock(operation: BatchOperation): TransactionLock {
  return { name: ["thread", threadOf(operation)], shared: operation.kind !== "deleteThread" };
}

/** Of those who put a successor of the same checkpoint one comes first. */
function headLock(threadId: string, checkpointNs: string): TransactionLock {
  return { name: ["head", threadId, checkpointNs], shared: false };
}
