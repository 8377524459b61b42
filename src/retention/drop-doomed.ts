import type { CallContext } from "../db/call-context.js";
import { runTransaction } from "../db/statements/run-statement.js";
import { dropCheckpoints, type DroppedRow, lockCheckpoints } from "./queries/drop-checkpoints.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { inPortions } from "./in-portions.js";
import { type DropPlan, planDrops } from "./plan-drops.js";
import { readCommitted } from "./read-committed.js";

/**
 * Deletes checkpoints of a namespace with their writes, as planned, in transactions of `batchSize` at most; yields what each
 * deleted. Where one of them gets a child meanwhile it is found out anew what that one needs.
 */
export async function* dropDoomed(
  call: CallContext,
  planned: DropPlan,
  batchSize: number,
): AsyncGenerator<RowCounts> {
  let plan: DropPlan | undefined = planned;
  while (plan !== undefined) {
    const { key, going }: DropPlan = plan;
    const gone = new Set<string>();
    let isOutdated = false;
    for (const batch of inPortions(going, batchSize)) {
      const { is_outdated, ...dropped } = await dropBatch(call, plan, batch);
      isOutdated = is_outdated;
      if (isOutdated) break;
      for (const id of batch) gone.add(id);
      yield { ...NO_ROWS, ...dropped };
    }
    if (!isOutdated) return;
    [plan] = await planDrops(call, [{ key, ids: going.filter((id) => !gone.has(id)) }]);
  }
}

async function dropBatch(
  call: CallContext,
  { key: namespace, children, sendersKept }: DropPlan,
  checkpointIds: readonly string[],
): Promise<DroppedRow> {
  const key = { ...namespace, checkpointIds };
  const known = checkpointIds.flatMap((id) => children.get(id) ?? []);
  const drop = dropCheckpoints(call.schema, {
    ...key,
    knownIds: known.map(({ checkpoint_id }) => checkpoint_id),
    knownVersions: known.map(({ version }) => version),
    sendersKept: checkpointIds.filter((id) => sendersKept.has(id)),
  });
  const guard = [{ statement: lockCheckpoints(call.schema, key), check: readCommitted }];
  const [[dropped] = []] = await runTransaction(call, { guard, statements: [drop] });
  return dropped ?? { checkpoints: 0, writes: 0, bytes: 0, is_outdated: false };
}
