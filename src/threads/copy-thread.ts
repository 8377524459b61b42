import { type RowsToCopy, copyThreadRows, countRowsOfThread } from "./queries/copy-thread-rows.js";
import {
  copiedHeaders,
  type CopiedThreads,
  deleteGoneHeaders,
  findConflict,
} from "./queries/copied-headers.js";
import { placementOf } from "../db/placement/placement.js";
import { inOneTransaction, runStatement, runTransaction } from "../db/statements/run-statement.js";
import { DatabaseError, ThreadExistsError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { copyConversation, hasConversations } from "../saver/queries/conversations-of-threads.js";
import { lockThread, lockCheckpoints } from "./queries/lock-thread.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { type SaverCall, writingThreads } from "../saver/call/saver-call.js";
import { copyValues } from "./copy-values.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import { type LockRow, refuseSnapshots, takeLocks } from "../saver/queries/take-locks.js";
import { tombstoneGuard } from "../saver/storing/write-guard.js";

/** How often the copy looks for values that writers have stored since its last pass. */
const MAX_PASSES = 100;

/** Copies a thread, and its conversation; see `copyThread` of the savers. */
export async function copyThread(
  base: SaverCall,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  const call = writingThreads(base, () => [threads.target]);
  const counts = await copyRows(call, threads, serde);
  if (await hasConversations(call)) await runStatement(call, copyConversation, threads);
  return counts;
}

async function copyRows(
  call: SaverCall,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  if ((await placementOf(call)).isOnNodes) return copyBetweenNodes(call, threads, serde);
  if (!threads.reencode && serde.bindsToPlace === undefined) {
    const { counts, hasBoundValues } = await runCopy(call, threads, "all");
    if (!hasBoundValues) return counts;
  }
  return copyEncodedThread(call, threads, serde);
}

/**
 * Copies a thread through this process, since its values must be checked or encoded for their place in the target: first
 * values and writes in portions, then the checkpoints. It uses one transaction, so that nobody sees a part of the copy, and
 * no garbage collection deletes values whose checkpoints are not copied yet.
 *
 * Others may write to the source meanwhile. The copy takes the checkpoints from a snapshot in which the target has all values
 * and writes of the source.
 */
function copyEncodedThread(
  call: SaverCall,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  return inOneTransaction(call, async (transaction) => {
    // The copy relies on rows that the target has already, and does not store them again.
    await runTransaction(transaction, { statements: lockThread(call.schema, threads.target) });
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const { counts, isCopied } = await runCopy(transaction, threads, "checkpoints");
      // The first pass also brings special writes that were replaced since an earlier copy: they have rows in the target.
      if (isCopied && pass > 0) return counts;
      await copyValues(transaction, threads, serde, { skipsStored: true });
    }
    throw new DatabaseError(
      `thread "${threads.source}": concurrent writers stored values faster than the copy could read them`,
      { threadId: threads.source, transient: true },
    );
  });
}

async function runCopy(
  call: SaverCall,
  threads: CopiedThreads,
  rows: RowsToCopy,
): Promise<{ readonly counts: RowCounts; readonly isCopied: boolean; readonly hasBoundValues: boolean }> {
  const [[row] = []] = await runTransaction(call, {
    guard: copyGuard(call, threads.target),
    statements: [copyThreadRows.of({ rows, textVersions: threads.reencode }).bind(call.schema, threads)],
  });
  if (row === undefined) return { counts: NO_ROWS, isCopied: true, hasBoundValues: false };
  const { conflicting_checkpoint: checkpointId, has_values, has_bound_values, ...counts } = row;
  if (checkpointId === null) return { counts, isCopied: has_values, hasBoundValues: has_bound_values };
  throw new ThreadExistsError(threads.source, { threadId: threads.target, checkpointId });
}

/**
 * Copies a thread where the two threads may be on different nodes, so that no statement sees both in one snapshot (N8). It first copies the checkpoints and locks those of the source, which keeps their values and writes there (C8). Then
 * it copies these through this process. Until it commits, a deletion of checkpoints of the source waits, and other writers don't.
 */
function copyBetweenNodes(
  call: SaverCall,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  const { schema } = call;
  const { source, target, reencode } = threads;
  const shape = { textVersions: reencode };
  return inOneTransaction(call, async (transaction) => {
    const [[conflict] = []] = await runTransaction(transaction, {
      guard: copyGuard(call, target),
      statements: [findConflict.of(shape).bind(schema, threads)],
    });
    if (conflict !== undefined)
      throw new ThreadExistsError(source, { threadId: target, checkpointId: conflict.checkpoint_id });
    // The copy relies on rows that the target has already.
    await runTransaction(transaction, {
      statements: [
        ...lockThread(schema, target),
        copiedHeaders.of(shape).bind(schema, threads),
        lockCheckpoints.bind(schema, { threadId: source }),
        deleteGoneHeaders.bind(schema, threads),
      ],
    });
    await copyValues(transaction, threads, serde, { skipsStored: false });
    const statements = [countRowsOfThread.bind(schema, { threadId: source })];
    const [[counts] = []] = await runTransaction(transaction, { statements });
    return counts ?? NO_ROWS;
  });
}

/**
 * The checks of a copy, which come first in its transaction. They lock the target, so that each of several concurrent copies to it sees the
 * checkpoints of the previous one.
 */
function copyGuard(call: SaverCall, target: string): readonly GuardStep[] {
  const taking: GuardStep<LockRow> = {
    statement: takeLocks(call.schema, [{ name: ["copy", target], shared: false }]),
    check: (rows) => {
      refuseSnapshots(rows, "copyThread needs");
    },
  };
  return [taking, ...tombstoneGuard(call, [target])];
}
