import type { GuardStep } from "../../db/statements/transaction-steps.js";
import type { SaverCall } from "../call/saver-call.js";
import {
  refuseDeleted,
  refuseTombstones,
  writtenThreads,
  refuseStale,
  successors,
} from "../codec/refuse-writes.js";
import { type BatchOperation, threadOf } from "../codec/resolve-batch.js";
import { type HeadRow, selectHeads } from "../queries/select-heads.js";
import { type LockRow, refuseSnapshots, type TransactionLock, takeLocks } from "../queries/take-locks.js";
import { threadGroups } from "../queries/thread-groups.js";
import { selectTombstones, type TombstoneRow } from "../queries/tombstones.js";

/** What {@link writeGuard} knows of operations beside themselves. */
export interface GuardOptions {
  /** Whether they are calls of their own, which give up a wait for a lock and are then stored one by one (C14). Default: `false`. */
  readonly asGroup?: boolean;
}

/**
 * Returns the checks of the saver's rules for operations. They run in the transaction that stores the operations. The locks
 * come first, so that what the checks read can't change until the transaction ends (C5).
 *
 * Operations on several threads also lock these. A deletion locks the writes and values of its thread before others store their
 * checkpoints, so the order of tables alone would let two such transactions wait for each other (C2).
 */
export async function writeGuard(
  call: SaverCall,
  operations: readonly BatchOperation[],
  { asGroup = false }: GuardOptions = {},
): Promise<readonly GuardStep[]> {
  const { schema, policy } = call;
  const following = policy.concurrency === "optimistic" ? successors(operations) : [];
  const keepsTombstones = policy.keepTombstones === true;
  const written = keepsTombstones ? writtenThreads(operations) : [];
  const locksThreads =
    keepsTombstones || (!asGroup && operations.length > 1 && new Set(operations.map(threadOf)).size > 1);
  const locks = [
    ...(locksThreads ? operations.map((operation) => threadLock(threadOf(operation), operation.kind)) : []),
    ...following.map(({ threadId, checkpointNs }) => headLock(threadId, checkpointNs)),
  ];
  if (locks.length === 0) return [];
  const groups = await threadGroups(call, following, ({ threadId }) => threadId);
  const heads = groups.map((group): GuardStep<HeadRow> => {
    const ofGroup =
      group.naming === "row" ? operations : operations.filter((each) => threadOf(each) === group.threadId);
    return {
      statement: selectHeads(schema, group),
      check: (rows) => {
        refuseStale(ofGroup, rows);
      },
    };
  });
  const tombstones: GuardStep<TombstoneRow> = {
    statement: selectTombstones(schema, written),
    check: (rows) => {
      refuseDeleted(operations, rows);
    },
  };
  const taking: GuardStep<LockRow> = { statement: takeLocks(schema, locks) };
  return [
    keepsTombstones || following.length > 0 ? { ...taking, check: refuseSnapshots } : taking,
    ...(written.length > 0 ? [tombstones] : []),
    ...heads,
  ];
}

/** Returns the checks that none of the threads has a tombstone, for code that writes rows without an operation. */
export function tombstoneGuard(
  { schema, policy }: SaverCall,
  threadIds: readonly string[],
): readonly GuardStep[] {
  if (policy.keepTombstones !== true || threadIds.length === 0) return [];
  const locks = threadIds.map((threadId) => threadLock(threadId, "put"));
  const tombstones: GuardStep<TombstoneRow> = {
    statement: selectTombstones(schema, threadIds),
    check: refuseTombstones,
  };
  return [
    { statement: takeLocks(schema, locks), check: refuseSnapshots } satisfies GuardStep<LockRow>,
    tombstones,
  ];
}

/** A deletion of a thread and the writes to it wait for each other. Writes share the lock. */
function threadLock(threadId: string, kind: BatchOperation["kind"]): TransactionLock {
  return { name: ["thread", threadId], shared: kind !== "deleteThread" };
}

/** Puts of successors of the same checkpoint run one after another. */
function headLock(threadId: string, checkpointNs: string): TransactionLock {
  return { name: ["head", threadId, checkpointNs], shared: false };
}
