import { placementOf } from "../db/placement/placement.js";
import { inOneTransaction, runTransaction } from "../db/statements/run-statement.js";
import { DatabaseError, ThreadExistsError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { type CopiedRows, type CopiedThreads, copyRows, type CopyRow } from "./queries/copy-thread-rows.js";
import { lockThread } from "./queries/lock-thread.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { type SaverCall, writingThreads } from "../saver/call/saver-call.js";
import { copyBetweenNodes } from "./copy-between-nodes.js";
import { copyGuard } from "./copy-guard.js";
import { copyValues } from "./copy-values.js";

/** How often the copy looks for values that writers have stored since its last pass. */
const MAX_PASSES = 100;

/** Copies a thread; see `copyThread` of the savers. */
export async function copyThread(
  base: SaverCall,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  const call = writingThreads(base, () => [threads.target]);
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
  copied: CopiedRows,
): Promise<{ readonly counts: RowCounts; readonly isCopied: boolean; readonly hasBoundValues: boolean }> {
  const [[row] = []] = await runTransaction<CopyRow>(call, {
    guard: copyGuard(call, threads.target),
    statements: [copyRows(call.schema, copied, threads)],
  });
  const {
    conflicting_checkpoint: checkpointId,
    has_values: isCopied,
    has_bound_values: hasBoundValues,
    ...counts
  } = row ?? { ...NO_ROWS, conflicting_checkpoint: null, has_values: true, has_bound_values: false };
  if (checkpointId === null) return { counts, isCopied, hasBoundValues };
  throw new ThreadExistsError(threads.source, { threadId: threads.target, checkpointId });
}
