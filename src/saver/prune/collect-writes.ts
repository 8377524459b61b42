import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import { runTransaction } from "../../db/run-statement.js";
import type { NamespaceKey } from "../checkpoint-key.js";
import { dropOrphanedWrites, lockWrites, selectOrphanedWrites } from "../queries/prune/orphaned-writes.js";
import { NO_ROWS, type RowCounts } from "../row-counts.js";
import { inPortions } from "./in-portions.js";
import { readCommitted } from "./read-committed.js";
import { sendersKept } from "./senders-kept.js";

/**
 * Deletes the writes of a namespace whose checkpoint never came; yields what went with some checkpoints each.
 *
 * @param cutoff - Only writes of checkpoints with a smaller id.
 */
export async function* collectWrites(
  tables: CheckpointTables,
  namespace: NamespaceKey,
  cutoff: string,
  batchSize: number,
): AsyncGenerator<RowCounts> {
  const orphans = await selectOrphanedWrites(tables, { ...namespace, cutoff });
  if (orphans.length === 0) return;
  const senders = await sendersKept(tables, namespace, []);
  for (const checkpointIds of inPortions(orphans, batchSize)) {
    const kept = checkpointIds.filter((id) => senders.has(id));
    const key = { ...namespace, checkpointIds, sendersKept: kept };
    const guard = [{ statement: lockWrites(tables.schema, key), check: readCommitted }];
    const statements = [dropOrphanedWrites(tables.schema, key)];
    const [[dropped] = []] = await runTransaction(tables, { guard, statements });
    yield { ...NO_ROWS, ...dropped };
  }
}
