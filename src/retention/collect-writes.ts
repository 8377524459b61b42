import type { CallContext } from "../db/call-context.js";
import { runTransaction } from "../db/statements/run-statement.js";
import { dropOrphanedWrites, lockWrites } from "./queries/orphaned-writes.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { inPortions } from "./in-portions.js";
import type { DoomedNamespace } from "./doomed-namespace.js";
import { readCommitted } from "./read-committed.js";
import { sendersKept } from "./senders-kept.js";

/**
 * Deletes the writes of a namespace whose checkpoint never came; yields what went with some checkpoints each.
 *
 * @param orphans - The checkpoints that never came.
 */
export async function* collectWrites(
  call: CallContext,
  { key: namespace, ids: orphans }: DoomedNamespace,
  batchSize: number,
): AsyncGenerator<RowCounts> {
  const [senders] = await sendersKept(call, [{ key: namespace, ids: [] }]);
  for (const checkpointIds of inPortions(orphans, batchSize)) {
    const kept = checkpointIds.filter((id) => senders?.has(id));
    const key = { ...namespace, checkpointIds, sendersKept: kept };
    const guard = [{ statement: lockWrites(call.schema, key), check: readCommitted }];
    const statements = [dropOrphanedWrites(call.schema, key)];
    const [[dropped] = []] = await runTransaction(call, { guard, statements });
    yield { ...NO_ROWS, ...dropped };
  }
}
