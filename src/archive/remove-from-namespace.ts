import { TASKS } from "@langchain/langgraph-checkpoint";
import { inOneTransaction, runBound } from "../db/statements/run-statement.js";
import { beforeChildrenOf } from "../retention/delete-checkpoints.js";
import { batchesOfOrphans } from "../retention/delete-orphans.js";
import { findKeptSenders } from "../retention/find-needed.js";
import { type DeletionPlan, planDeletions } from "../retention/plan-deletions.js";
import { deleteUnreferencedBlobs, selectOrphanedBlobs } from "../retention/queries/orphaned-blobs.js";
import { lockDeletedCheckpoints } from "../retention/queries/deleted-checkpoints.js";
import { lockWrites } from "../retention/queries/orphaned-writes.js";
import { selectLineage } from "../retention/queries/lineage.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { chunksOf } from "../saver/model/portions.js";
import { type NamespaceKey, rowKey } from "../saver/model/keys.js";
import { NO_ROWS } from "../saver/model/row-counts.js";
import { lockBlobs } from "../saver/queries/lock-blobs.js";
import { refuseSnapshots } from "../saver/queries/take-locks.js";
import type { Removal } from "./archive-part.js";
import type { RowDigests } from "../backup/row-digests.js";
import {
  digestBlobs,
  digestCheckpoints,
  digestWrites,
  type WriteDigestRow,
  blobsKeyOf,
} from "../backup/queries/digest-rows.js";
import { deleteCheckpointsByKey, deleteWritesByKey } from "./queries/remove-rows.js";

/** What is removed of a namespace. */
interface RemovedNamespace {
  readonly key: NamespaceKey;
  readonly plan: DeletionPlan | undefined;
  readonly orphans: readonly string[];
}

interface RemovalOptions {
  /** The rows of the thread that the file holds. */
  readonly archived: RowDigests;
  /** How many checkpoints one transaction deletes at most. */
  readonly batchSize: number;
}

/**
 * Deletes the checkpoints of a namespace that a file holds, their writes, and the values of the file that no checkpoint needs any
 * more, as `prune` does. Yields what each transaction deleted. A killed call leaves values without a checkpoint, which the next
 * run archives again.
 */
export async function* removeFromNamespace(
  call: SaverCall,
  { key, plan, orphans }: RemovedNamespace,
  options: RemovalOptions,
): AsyncGenerator<Removal> {
  if (plan !== undefined) yield* removeCheckpoints(call, plan, options);
  if (orphans.length > 0) yield* removeOrphanedWrites(call, { key, orphans }, options);
  yield* removeValues(call, key, options);
}

/** When a checkpoint gets a new child in the meantime, or has changed, it plans the rest again. */
async function* removeCheckpoints(
  call: SaverCall,
  firstPlan: DeletionPlan,
  { archived, batchSize }: RemovalOptions,
): AsyncGenerator<Removal> {
  let plan: DeletionPlan | undefined = firstPlan;
  while (plan !== undefined) {
    const { key, deletableIds }: DeletionPlan = plan;
    const done = new Set<string>();
    let isOutdated = false;
    for (const batch of chunksOf(deletableIds, batchSize)) {
      const { removal, changedIds, ...result } = await removeBatch(call, plan, { batch, archived });
      for (const id of changedIds) done.add(id);
      isOutdated = result.isOutdated;
      if (changedIds.length > 0) yield { ...NO_ROWS, isChanged: true };
      if (isOutdated) break;
      for (const id of batch) done.add(id);
      yield removal;
    }
    if (!isOutdated) return;
    const ids = deletableIds.filter((id) => !done.has(id));
    [plan] = await planDeletions(call, [{ key, ids }]);
  }
}

interface BatchResult {
  readonly removal: Removal;
  /** The checkpoints that stay, because they or one of their writes is not in the file. */
  readonly changedIds: readonly string[];
  /** Whether nothing was deleted, because of these, or because a checkpoint has a child that the plan has not examined. */
  readonly isOutdated: boolean;
}

/** Locks the rows first. The next statements compare them with the file and the plan, and only then they are deleted (C7, C9). */
function removeBatch(
  call: SaverCall,
  plan: DeletionPlan,
  { batch: checkpointIds, archived }: { readonly batch: readonly string[]; readonly archived: RowDigests },
): Promise<BatchResult> {
  const key = { ...plan.key, checkpointIds };
  const nothing = { ...NO_ROWS, isChanged: false };
  return inOneTransaction(call, async (within) => {
    const { schema } = within;
    requireReadCommitted(await runBound(within, lockDeletedCheckpoints.bind(schema, key)));
    await runBound(within, lockWrites.bind(schema, key));
    const checkpoints = await digestCheckpoints(within, key);
    const writes = (await digestWrites(within, key)).filter(
      (write) => write.channel !== TASKS || !plan.keptSenders.has(write.checkpoint_id),
    );
    const changed = [
      ...checkpoints.filter((row) => !archived.holds(row)),
      ...writes.filter((row) => !archived.holds(row)),
    ];
    const changedIds = [...new Set(changed.map((row) => row.checkpoint_id))];
    if (changedIds.length > 0 || (await hasNewChild(within, plan, checkpointIds)))
      return { removal: nothing, changedIds, isOutdated: true };
    const { threadId, checkpointNs } = plan.key;
    const headers = await deleteCheckpointsByKey(
      within,
      threadId,
      checkpointIds.map((id) => ({ checkpoint_ns: checkpointNs, checkpoint_id: id })),
    );
    const counts = await deleteWrites(within, threadId, writes);
    const bytes = counts.bytes + headers.bytes;
    const removal = { ...counts, checkpoints: headers.deleted, bytes, isChanged: false };
    return { removal, changedIds, isOutdated: false };
  });
}

/** Whether a checkpoint has a child that stays, and that the plan has not examined in its present version. */
async function hasNewChild(
  within: SaverCall,
  plan: DeletionPlan,
  checkpointIds: readonly string[],
): Promise<boolean> {
  const { key, children } = plan;
  const afterId = beforeChildrenOf(plan, checkpointIds);
  const [lineage = []] = await selectLineage(within, [{ ...key, afterId }]);
  const deleted = new Set(checkpointIds);
  const known = new Set(
    checkpointIds.flatMap((id) =>
      (children.get(id) ?? []).map((child) => rowKey(child.checkpoint_id, child.version)),
    ),
  );
  return lineage.some(
    ({ checkpoint_id, parent_checkpoint_id, version }) =>
      parent_checkpoint_id !== null &&
      deleted.has(parent_checkpoint_id) &&
      !deleted.has(checkpoint_id) &&
      !known.has(rowKey(checkpoint_id, version)),
  );
}

async function* removeOrphanedWrites(
  call: SaverCall,
  { key, orphans }: Omit<RemovedNamespace, "plan">,
  { archived, batchSize }: RemovalOptions,
): AsyncGenerator<Removal> {
  const [senders = new Set<string>()] = await findKeptSenders(call, [{ key, ids: [] }]);
  for (const checkpointIds of chunksOf(orphans, batchSize)) {
    yield await inOneTransaction(call, async (within) => {
      const ids = { ...key, checkpointIds };
      requireReadCommitted(await runBound(within, lockWrites.bind(within.schema, ids)));
      const stored = (await digestWrites(within, ids)).filter(
        (write) => write.channel !== TASKS || !senders.has(write.checkpoint_id),
      );
      const writes = stored.filter((row) => archived.holds(row));
      const counts = await deleteWrites(within, key.threadId, writes);
      return { ...counts, isChanged: writes.length < stored.length };
    });
  }
}

async function deleteWrites(within: SaverCall, threadId: string, writes: readonly WriteDigestRow[]) {
  if (writes.length === 0) return NO_ROWS;
  const { deleted, bytes } = await deleteWritesByKey(within, threadId, writes);
  return { ...NO_ROWS, writes: deleted, bytes };
}

/** Deletes the values of the file that no checkpoint needs. Locks them first, and the next statements compare and decide (C8, C13). */
async function* removeValues(
  call: SaverCall,
  key: NamespaceKey,
  { archived }: RemovalOptions,
): AsyncGenerator<Removal> {
  const [orphans = []] = await selectOrphanedBlobs(call, [{ ...key, checkpointIds: [] }]);
  for (const batch of batchesOfOrphans(orphans)) {
    yield await inOneTransaction(call, async (within) => {
      const named = blobsKeyOf(key, batch);
      requireReadCommitted(await runBound(within, lockBlobs(within.schema, named, "forUpdate")));
      const stored = await digestBlobs(within, named);
      const values = stored.filter((row) => archived.holds(row));
      const [deleted] = await runBound(
        within,
        deleteUnreferencedBlobs.bind(within.schema, blobsKeyOf(key, values)),
      );
      return { ...NO_ROWS, ...deleted, isChanged: false };
    });
  }
}

function requireReadCommitted(rows: readonly { readonly isolation: string }[]): void {
  refuseSnapshots(rows, "archive needs");
}
