import type { CallContext } from "../db/call-context.js";
import { groupBy } from "../db/group-by.js";
import { NO_ROWS } from "../saver/model/row-counts.js";
import { rowKey } from "../saver/model/keys.js";
import { chunksOf } from "../saver/model/portions.js";
import type { RunDeletion } from "./boundary/parse-prune.js";
import { countDeletable } from "./count-deletable.js";
import { deleteCheckpoints } from "./delete-checkpoints.js";
import { deleteOrphanedBlobs } from "./delete-orphans.js";
import type { DeletionCandidates } from "./find-needed.js";
import { beginProof, findOrphanedValues, type OrphanedValues } from "./find-orphans.js";
import { type DeletionPlan, planDeletions } from "./plan-deletions.js";
import { PruneTally } from "./prune-tally.js";
import { type RunCheckpointRow, selectCheckpointsOfRuns } from "./queries/candidates.js";
import type { PruneReport } from "./retention-types.js";

/** How many checkpoints one transaction deletes at most. */
const BATCH_SIZE = 500;

/** For how many namespaces at once the keys of all checkpoints are held in memory. */
const NAMESPACES_PER_PAGE = 20;

/** Deletes the checkpoints of runs, except those that checkpoints of other runs need. With `dryRun` it only counts them. */
export async function deleteForRuns(
  call: CallContext,
  { runIds, dryRun, deleteUnproven }: RunDeletion,
): Promise<PruneReport> {
  const tally = new PruneTally();
  if (runIds.length === 0) return tally.report(dryRun);
  const proof = await beginProof(call, deleteUnproven);
  const candidates = candidatesOf(await selectCheckpointsOfRuns(call, runIds));
  for (const page of chunksOf(candidates, NAMESPACES_PER_PAGE)) {
    tally.startPage(page[0]?.key.threadId);
    const plans = await planDeletions(call, page);
    const values = await findOrphanedValues(
      call,
      plans.map(({ key, deletableIds }) => ({ key, ids: deletableIds })),
      proof,
    );
    const deletions = plans.map((plan, at) => ({ plan, values: values[at] ?? NO_VALUES }));
    await (dryRun ? countPage(call, deletions, tally) : deletePage(call, deletions, tally));
    for (const { plan, values: each } of deletions) tally.unproven.add(plan, each);
  }
  return tally.report(dryRun);
}

/** The deletions in a namespace: checkpoints, and the values that are proven to be orphans without them. */
interface NamespaceDeletion {
  readonly plan: DeletionPlan;
  readonly values: OrphanedValues;
}

const NO_VALUES: OrphanedValues = { proven: [], unproven: [], isUnreadable: false };

async function countPage(
  call: CallContext,
  deletions: readonly NamespaceDeletion[],
  tally: PruneTally,
): Promise<void> {
  const counts = await countDeletable(
    call,
    deletions.map(({ plan, values }) => ({ key: plan.key, plan, orphans: [], values: values.proven })),
  );
  for (const [at, { plan }] of deletions.entries()) tally.add(plan.key, counts[at] ?? NO_ROWS);
}

async function deletePage(
  call: CallContext,
  deletions: readonly NamespaceDeletion[],
  tally: PruneTally,
): Promise<void> {
  for (const { plan } of deletions) {
    for await (const counts of deleteCheckpoints(call, plan, BATCH_SIZE)) tally.add(plan.key, counts);
  }
  for (const { plan, values } of deletions) {
    for await (const counts of deleteOrphanedBlobs(call, plan.key, values.proven))
      tally.add(plan.key, counts);
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
