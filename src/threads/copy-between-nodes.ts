import { inOneTransaction, runTransaction } from "../db/statements/run-statement.js";
import { ThreadExistsError } from "../errors/index.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { copyGuard } from "./copy-guard.js";
import { copyValues } from "./copy-values.js";
import { copyHeaders, deleteGoneHeaders } from "./queries/copy-headers.js";
import type { CopiedThreads } from "./queries/copy-thread-rows.js";
import { countRows } from "./queries/count-rows.js";
import { findConflict } from "./queries/find-conflict.js";
import { lockCheckpoints, lockThread } from "./queries/lock-thread.js";

/**
 * Copies a thread where the two threads may be on different nodes, so that no statement sees both in one snapshot (N8). It first copies the checkpoints and locks those of the source, which keeps their values and writes there (C8). Then
 * it copies these through this process. Until it commits, a deletion of checkpoints of the source waits, and other writers don't.
 */
export function copyBetweenNodes(
  call: SaverCall,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  const { schema } = call;
  const { source, target } = threads;
  return inOneTransaction(call, async (transaction) => {
    const [[conflict] = []] = await runTransaction(transaction, {
      guard: copyGuard(call, target),
      statements: [findConflict(schema, threads)],
    });
    if (conflict !== undefined)
      throw new ThreadExistsError(source, { threadId: target, checkpointId: conflict.checkpoint_id });
    // The copy relies on rows that the target has already.
    await runTransaction(transaction, {
      statements: [
        ...lockThread(schema, target),
        copyHeaders(schema, threads),
        lockCheckpoints(schema, source),
        deleteGoneHeaders(schema, threads),
      ],
    });
    await copyValues(transaction, threads, serde, { skipsStored: false });
    const [[counts] = []] = await runTransaction(transaction, { statements: [countRows(schema, source)] });
    return counts ?? NO_ROWS;
  });
}
