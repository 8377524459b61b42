import {
  lockDeletedCheckpoints,
  deleteCheckpointRows,
  type DeletionOfCheckpointsRow,
} from "./queries/deleted-checkpoints.js";
import type { CallContext } from "../db/call-context.js";
import { runTransaction } from "../db/statements/run-statement.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { chunksOf } from "../saver/model/portions.js";
import { compareText } from "../saver/model/keys.js";
import { type DeletionPlan, planDeletions } from "./plan-deletions.js";
import { lockWrites } from "./queries/orphaned-writes.js";
import { refuseSnapshots } from "../saver/queries/take-locks.js";

/**
 * Deletes the checkpoints of a plan with their pending writes, in transactions of at most `batchSize` checkpoints, and yields
 * what each transaction deleted. When a checkpoint gets a new child in the meantime, it plans the rest again.
 */
export async function* deleteCheckpoints(
  call: CallContext,
  firstPlan: DeletionPlan,
  batchSize: number,
): AsyncGenerator<RowCounts> {
  let plan: DeletionPlan | undefined = firstPlan;
  while (plan !== undefined) {
    const { key, deletableIds }: DeletionPlan = plan;
    const deleted = new Set<string>();
    let isOutdated = false;
    for (const batch of chunksOf(deletableIds, batchSize)) {
      const { is_outdated, ...counts } = await deleteBatch(call, plan, batch);
      isOutdated = is_outdated;
      if (isOutdated) break;
      for (const id of batch) deleted.add(id);
      yield { ...NO_ROWS, ...counts };
    }
    if (!isOutdated) return;
    [plan] = await planDeletions(call, [{ key, ids: deletableIds.filter((id) => !deleted.has(id)) }]);
  }
}

async function deleteBatch(
  call: CallContext,
  plan: DeletionPlan,
  checkpointIds: readonly string[],
): Promise<DeletionOfCheckpointsRow> {
  const { key: namespace, children, keptSenders } = plan;
  const key = { ...namespace, checkpointIds };
  const known = checkpointIds.flatMap((id) => children.get(id) ?? []);
  const deletion = deleteCheckpointRows.bind(call.schema, {
    ...key,
    knownIds: known.map(({ checkpoint_id }) => checkpoint_id),
    knownVersions: known.map(({ version }) => version),
    beforeChildren: beforeChildrenOf(plan, checkpointIds),
    keptSenders: checkpointIds.filter((id) => keptSenders.has(id)),
  });
  const guard = [
    { statement: lockDeletedCheckpoints.bind(call.schema, key), check: requireReadCommitted },
    { statement: lockWrites.bind(call.schema, key), check: requireReadCommitted },
  ];
  const [[deleted] = []] = await runTransaction(call, { guard, statements: [deletion] });
  return deleted ?? { checkpoints: 0, writes: 0, bytes: 0, is_outdated: false };
}

/** Where so many checkpoints of a namespace are deleted, no transaction reads the whole namespace again: they would take quadratic time. */
const MANY = 5_000;

/**
 * An id that those of new children of checkpoints are greater than. A child has a greater id than its parent (C17), unless the clock of
 * another program is wrong by more than the age of the oldest of these checkpoints. So where they are few, it is smaller than any id.
 */
export function beforeChildrenOf({ deletableIds }: DeletionPlan, checkpointIds: readonly string[]): string {
  if (deletableIds.length < MANY) return "";
  return checkpointIds.reduce((least, id) => (compareText(id, least) < 0 ? id : least));
}

/**
 * Checks that the transaction sees what others committed before it was granted its locks.
 *
 * @throws InvalidConfigError if a passed-in transaction has another isolation level.
 */
export function requireReadCommitted(rows: readonly { readonly isolation: string }[]): void {
  refuseSnapshots(rows, "prune and deleteForRuns need");
}
