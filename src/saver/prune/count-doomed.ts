import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import type { NamespaceKey } from "../checkpoint-key.js";
import { selectOrphanedBlobs } from "../queries/prune/orphaned-blobs.js";
import { countWrites, selectOrphanedWrites } from "../queries/prune/orphaned-writes.js";
import { addCounts, NO_ROWS, type RowCounts } from "../row-counts.js";
import { inPortions } from "./in-portions.js";
import { planDrop } from "./plan-drop.js";
import { sendersKept } from "./senders-kept.js";

const CHECKPOINTS_AT_ONCE = 1_000;

/**
 * Counts what would go of a namespace: its doomed checkpoints, and what is stored for nothing then.
 *
 * @param cutoff - Only checkpoints with a smaller id count as lost where there are writes of theirs alone.
 */
export async function countDoomed(
  tables: CheckpointTables,
  namespace: NamespaceKey,
  doomed: readonly string[],
  cutoff: string,
): Promise<RowCounts> {
  const plan = await planDrop(tables, namespace, doomed);
  const orphans = await selectOrphanedWrites(tables, { ...namespace, cutoff });
  const stillRead =
    orphans.length === 0 ? new Set<string>() : await sendersKept(tables, namespace, plan.going);
  const blobs = await selectOrphanedBlobs(tables, { ...namespace, checkpointIds: plan.going });
  const counts = [
    { ...NO_ROWS, checkpoints: plan.going.length },
    { ...NO_ROWS, blobs: blobs.length, bytes: blobs.reduce((sum, { bytes }) => sum + bytes, 0) },
    await countWritesOf(tables, namespace, plan.going, plan.sendersKept),
    await countWritesOf(tables, namespace, orphans, stillRead),
  ];
  return counts.reduce(addCounts);
}

async function countWritesOf(
  tables: CheckpointTables,
  namespace: NamespaceKey,
  ids: readonly string[],
  senders: ReadonlySet<string>,
): Promise<RowCounts> {
  let counts = NO_ROWS;
  for (const checkpointIds of inPortions(ids, CHECKPOINTS_AT_ONCE)) {
    const kept = checkpointIds.filter((id) => senders.has(id));
    const written = await countWrites(tables, { ...namespace, checkpointIds, sendersKept: kept });
    counts = addCounts(counts, { ...NO_ROWS, ...written });
  }
  return counts;
}
