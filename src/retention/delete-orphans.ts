import type { CallContext } from "../db/call-context.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { NamespaceKey } from "../saver/model/keys.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { batchesOfOrphans } from "./batches-of-orphans.js";
import { chunksOf } from "../saver/model/portions.js";
import type { DeletionCandidates } from "./deletion-candidates.js";
import { findKeptSenders } from "./find-kept-senders.js";
import { deleteUnreferencedBlobs, type OrphanedBlobRow } from "./queries/orphaned-blobs.js";
import { deleteWritesWithoutCheckpoint, lockWrites } from "./queries/orphaned-writes.js";
import { lockBlobs } from "../saver/queries/lock-blobs.js";
import { requireReadCommitted } from "./require-read-committed.js";

/**
 * How many values one transaction deletes. Each transaction reads all headers of the namespace again, and its locks block only
 * writers that store the same values again.
 */
const BLOBS_PER_TRANSACTION = 10_000;

/**
 * Deletes values of a namespace that no checkpoint needs, and yields what each transaction deleted.
 *
 * @param orphans - The values that no checkpoint needed when they were selected. Each transaction checks them again.
 */
export async function* deleteOrphanedBlobs(
  call: CallContext,
  namespace: NamespaceKey,
  orphans: readonly OrphanedBlobRow[],
): AsyncGenerator<RowCounts> {
  for (const batch of batchesOfOrphans(orphans, BLOBS_PER_TRANSACTION)) {
    const key = {
      ...namespace,
      channels: batch.map(({ channel }) => channel),
      versions: batch.map(({ version }) => version),
    };
    const guard = [{ statement: lockBlobs(call.schema, key, "forUpdate"), check: requireReadCommitted }];
    const statements = [deleteUnreferencedBlobs(call.schema, key)];
    const [[deleted] = []] = await runTransaction(call, { guard, statements });
    yield { ...NO_ROWS, ...deleted };
  }
}

/**
 * Deletes the pending writes of checkpoints that have no row, and yields what each transaction deleted.
 *
 * @param orphans - The ids of the checkpoints, at most `batchSize` of them per transaction.
 */
export async function* deleteOrphanedWrites(
  call: CallContext,
  { key: namespace, ids: orphans }: DeletionCandidates,
  batchSize: number,
): AsyncGenerator<RowCounts> {
  const [senders] = await findKeptSenders(call, [{ key: namespace, ids: [] }]);
  for (const checkpointIds of chunksOf(orphans, batchSize)) {
    const keptSenders = checkpointIds.filter((id) => senders?.has(id));
    const key = { ...namespace, checkpointIds, keptSenders };
    const guard = [{ statement: lockWrites(call.schema, key), check: requireReadCommitted }];
    const statements = [deleteWritesWithoutCheckpoint(call.schema, key)];
    const [[deleted] = []] = await runTransaction(call, { guard, statements });
    yield { ...NO_ROWS, ...deleted };
  }
}
