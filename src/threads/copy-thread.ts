import { inOneTransaction, runTransaction } from "../db/statements/run-statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import { DatabaseError, ThreadExistsError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { type CopiedRows, type CopiedThreads, copyRows, type CopyRow } from "./queries/copy-rows.js";
import { lockThread } from "./queries/lock-thread.js";
import { type LockRow, refuseSnapshots, takeLocks } from "../saver/queries/take-locks.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { tombstoneGuard } from "../saver/write-guard.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { copyValues } from "./copy-values.js";

/** How often values are looked for that were stored since the last look. */
const MAX_PASSES = 100;

/** Copies a thread; see `ThreadLife.copyThread`. */
export async function copyThread(
  call: SaverCall,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  if (!threads.reencode && serde.bindsToPlace === undefined) {
    const { counts, hasBound } = await runCopy(call, threads, "all");
    if (!hasBound) return counts;
  }
  return copyEncodedThread(call, threads, serde);
}

/**
 * Copies a thread whose values have to be looked at or encoded for their place in the target, by way of this process: its values and writes in portions, then
 * its checkpoints. One transaction does all of it, so that nobody sees a part of the copy, and nobody who collects
 * unreferenced values finds values whose checkpoints are still to come.
 *
 * The source may be written to meanwhile. The checkpoints are copied as of a moment at which the target has all values
 * and writes of the source.
 */
function copyEncodedThread(
  call: SaverCall,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  return inOneTransaction(call, async (within) => {
    // What the target has already is counted on, and not stored again.
    await runTransaction(within, { statements: lockThread(call.schema, threads.target) });
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const { counts, isCopied } = await runCopy(within, threads, "checkpoints");
      if (isCopied) return counts;
      await copyValues(within, threads, serde);
    }
    throw new DatabaseError(
      `thread "${threads.source}": its values are written faster than they can be copied`,
      { threadId: threads.source, transient: true },
    );
  });
}

async function runCopy(
  call: SaverCall,
  threads: CopiedThreads,
  copied: CopiedRows,
): Promise<{ readonly counts: RowCounts; readonly isCopied: boolean; readonly hasBound: boolean }> {
  const [[row] = []] = await runTransaction<CopyRow>(call, {
    guard: [targetLock(call, threads), ...tombstoneGuard(call, [threads.target])],
    statements: [copyRows(call.schema, copied, threads)],
  });
  const {
    stranger,
    has_values: isCopied,
    has_bound: hasBound,
    ...counts
  } = row ?? { ...NO_ROWS, stranger: null, has_values: true, has_bound: false };
  if (stranger === null) return { counts, isCopied, hasBound };
  throw new ThreadExistsError(threads.source, { threadId: threads.target, checkpointId: stranger });
}

/** Of copies to one target each sees the checkpoints of the one before. */
function targetLock({ schema }: SaverCall, { target }: CopiedThreads): GuardStep<LockRow> {
  return {
    statement: takeLocks(schema, [{ name: ["copy", target], shared: false }]),
    check: (rows) => {
      refuseSnapshots(rows, "copyThread needs");
    },
  };
}
