import type { CallContext } from "../db/call-context.js";
import { rowKey } from "../saver/model/row-key.js";
import { selectOrphanedBlobs } from "./queries/orphaned-blobs.js";
import { type RunRow, selectOfRuns } from "./queries/select-doomed.js";
import { NO_ROWS } from "../saver/model/row-counts.js";
import { collectBlobs } from "./collect-blobs.js";
import { countGoing } from "./count-going.js";
import { dropDoomed } from "./drop-doomed.js";
import { inPortions } from "./in-portions.js";
import type { DoomedNamespace } from "./doomed-namespace.js";
import { planDrops } from "./plan-drops.js";
import { PruneTally } from "./prune-tally.js";
import type { PruneReport } from "./retention-types.js";

/** How many checkpoints go in one transaction, at most. */
const BATCH_SIZE = 500;

/** Of so many the checkpoints' keys are held in memory. */
const NAMESPACES_AT_ONCE = 20;

/** What `deleteForRuns` is asked for. */
export interface RunDeletion {
  readonly runIds: readonly string[];
  readonly dryRun: boolean;
}

/** Deletes what runs have stored, but for what the checkpoints of others need of it; with `dryRun` it only counts that. */
export async function deleteForRuns(
  call: CallContext,
  { runIds, dryRun }: RunDeletion,
): Promise<PruneReport> {
  const tally = new PruneTally(() => undefined);
  if (runIds.length === 0) return tally.report(dryRun);
  const doomed = byNamespace(await selectOfRuns(call, runIds));
  for (const some of inPortions(doomed, NAMESPACES_AT_ONCE)) {
    tally.startPage(some[0]?.key.threadId);
    await (dryRun ? countThose(call, some, tally) : deleteThose(call, some, tally));
  }
  return tally.report(dryRun);
}

async function countThose(
  call: CallContext,
  doomed: readonly DoomedNamespace[],
  tally: PruneTally,
): Promise<void> {
  const counts = await countGoing(
    call,
    doomed.map((each) => ({ ...each, lost: [] })),
  );
  for (const [at, { key }] of doomed.entries()) tally.add(key, counts[at] ?? NO_ROWS);
}

async function deleteThose(
  call: CallContext,
  doomed: readonly DoomedNamespace[],
  tally: PruneTally,
): Promise<void> {
  for (const plan of await planDrops(call, doomed)) {
    for await (const part of dropDoomed(call, plan, BATCH_SIZE)) tally.add(plan.key, part);
  }
  const keys = doomed.map(({ key }) => key);
  const orphans = await selectOrphanedBlobs(call, keys);
  for (const [at, key] of keys.entries()) {
    for await (const part of collectBlobs(call, key, orphans[at] ?? [])) tally.add(key, part);
  }
}

/** The rows of each namespace, in their order. */
function byNamespace(rows: readonly RunRow[]): DoomedNamespace[] {
  const namespaces = new Map<string, { key: DoomedNamespace["key"]; ids: string[] }>();
  for (const { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id } of rows) {
    const name = rowKey(threadId, checkpointNs);
    const known = namespaces.get(name);
    if (known !== undefined) known.ids.push(checkpoint_id);
    else namespaces.set(name, { key: { threadId, checkpointNs }, ids: [checkpoint_id] });
  }
  return [...namespaces.values()];
}
