import type { CheckpointTables } from "../db/checkpoint-tables.js";
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
  tables: CheckpointTables,
  { key: namespace, ids: orphans }: DoomedNamespace,
  batchSize: number,
): AsyncGenerator<RowCounts> {
  const [senders] = await sendersKept(tables, [{ key: namespace, ids: [] }]);
  for (const checkpointIds of inPortions(orphans, batchSize)) {
    const kept = checkpointIds.filter((id) => senders?.has(id));
    const key = { ...namespace, checkpointIds, sendersKept: kept };
    const guard = [{ statement: lockWrites(tables.schema, key), check: readCommitted }];
    const statements = [dropOrphanedWrites(tables.schema, key)];
    const [[dropped] = []] = await runTransaction(tables, { guard, statements });
    yield { ...NO_ROWS, ...dropped };
  }
}
