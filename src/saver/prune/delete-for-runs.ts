import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import { rowKey } from "../codec/row-key.js";
import { type RunRow, selectOfRuns } from "../queries/prune/select-doomed.js";
import { addCounts, NO_ROWS, type RowCounts } from "../row-counts.js";
import { collectBlobs } from "./collect-blobs.js";
import { dropDoomed } from "./drop-doomed.js";

/** How many checkpoints go in one transaction, at most. */
const BATCH_SIZE = 500;

/** Deletes what runs have stored, but for what the checkpoints of others need of it. */
export async function deleteForRuns(tables: CheckpointTables, runIds: readonly string[]): Promise<RowCounts> {
  let counts = NO_ROWS;
  if (runIds.length === 0) return counts;
  for (const doomed of byNamespace(await selectOfRuns(tables, runIds))) {
    const { thread_id: threadId, checkpoint_ns: checkpointNs } = doomed[0];
    const namespace = { threadId, checkpointNs };
    const ids = doomed.map(({ checkpoint_id }) => checkpoint_id);
    for await (const part of dropDoomed(tables, namespace, ids, BATCH_SIZE)) {
      counts = addCounts(counts, part);
    }
    for await (const part of collectBlobs(tables, namespace)) counts = addCounts(counts, part);
  }
  return counts;
}

/** The rows of each namespace, in their order. */
function byNamespace(rows: readonly RunRow[]): [RunRow, ...RunRow[]][] {
  const namespaces = new Map<string, [RunRow, ...RunRow[]]>();
  for (const row of rows) {
    const key = rowKey(row.thread_id, row.checkpoint_ns);
    const known = namespaces.get(key);
    if (known === undefined) namespaces.set(key, [row]);
    else known.push(row);
  }
  return [...namespaces.values()];
}
