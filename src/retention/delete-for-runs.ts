import type { CallContext } from "../db/call-context.js";
import { groupBy } from "../db/group-by.js";
import { NO_ROWS } from "../saver/model/row-counts.js";
import { rowKey } from "../saver/model/row-key.js";
import { chunksOf } from "../saver/model/chunks-of.js";
import { countDeletable } from "./count-deletable.js";
import { deleteCheckpoints } from "./delete-checkpoints.js";
import { deleteOrphanedBlobs } from "./delete-orphans.js";
import type { DeletionCandidates } from "./deletion-candidates.js";
import { planDeletions } from "./plan-deletions.js";
import { PruneTally } from "./prune-tally.js";
import { type RunCheckpointRow, selectCheckpointsOfRuns } from "./queries/select-checkpoints-of-runs.js";
import { selectOrphanedBlobs } from "./queries/orphaned-blobs.js";
import type { PruneReport } from "./retention-types.js";

/** How many checkpoints one transaction deletes at most. */
const BATCH_SIZE = 500;

/** For how many namespaces at once the keys of all checkpoints are held in memory. */
const NAMESPACES_PER_PAGE = 20;

/** A checked call of `deleteForRuns`. */
export interface RunDeletion {
  readonly runIds: readonly string[];
  readonly dryRun: boolean;
}

/** Deletes the checkpoints of runs, except those that checkpoints of other runs need. With `dryRun` it only counts them. */
export async function deleteForRuns(
  call: CallContext,
  { runIds, dryRun }: RunDeletion,
): Promise<PruneReport> {
  const tally = new PruneTally();
  if (runIds.length === 0) return tally.report(dryRun);
  const candidates = candidatesOf(await selectCheckpointsOfRuns(call, runIds));
  for (const page of chunksOf(candidates, NAMESPACES_PER_PAGE)) {
    tally.startPage(page[0]?.key.threadId);
    await (dryRun ? countPage(call, page, tally) : deletePage(call, page, tally));
  }
  return tally.report(dryRun);
}

async function countPage(
  call: CallContext,
  candidates: readonly DeletionCandidates[],
  tally: PruneTally,
): Promise<void> {
  const counts = await countDeletable(
    call,
    candidates.map((each) => ({ ...each, orphans: [] })),
  );
  for (const [at, { key }] of candidates.entries()) tally.add(key, counts[at] ?? NO_ROWS);
}

async function deletePage(
  call: CallContext,
  candidates: readonly DeletionCandidates[],
  tally: PruneTally,
): Promise<void> {
  for (const plan of await planDeletions(call, candidates)) {
    for await (const counts of deleteCheckpoints(call, plan, BATCH_SIZE)) tally.add(plan.key, counts);
  }
  const keys = candidates.map(({ key }) => key);
  const orphans = await selectOrphanedBlobs(call, keys);
  for (const [at, key] of keys.entries()) {
    for await (const counts of deleteOrphanedBlobs(call, key, orphans[at] ?? [])) tally.add(key, counts);
  }
}

function candidatesOf(rows: readonly RunCheckpointRow[]): DeletionCandidates[] {
  const namespaces = groupBy(rows, (row) => rowKey(row.thread_id, row.checkpoint_ns));
  return [...namespaces.values()].flatMap((group) =>
    group.slice(0, 1).map(({ thread_id: threadId, checkpoint_ns: checkpointNs }) => ({
      key: { threadId, checkpointNs },
      ids: group.map(({ checkpoint_id }) => checkpoint_id),
    })),
  );
}
