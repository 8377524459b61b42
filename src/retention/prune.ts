import type { SaverCall } from "../saver/call/saver-call.js";
import { idsFrom } from "../saver/model/checkpoint-time.js";
import { NO_ROWS } from "../saver/model/row-counts.js";
import { rowKey } from "../saver/model/row-key.js";
import type { PruneRequest, Retention } from "./boundary/parse-prune.js";
import { countDeletable } from "./count-deletable.js";
import { deleteCheckpoints } from "./delete-checkpoints.js";
import { deleteOrphanedBlobs, deleteOrphanedWrites } from "./delete-orphans.js";
import { deleteIdleThreads, deleteThreads } from "./delete-whole-threads.js";
import type { DeletionCandidates } from "./deletion-candidates.js";
import { findCandidates, type RetentionCandidates } from "./find-candidates.js";
import { namespacePages } from "./namespace-pages.js";
import { planDeletions } from "./plan-deletions.js";
import { PruneTally } from "./prune-tally.js";
import { selectOrphanedBlobs } from "./queries/orphaned-blobs.js";
import { selectOrphanedWrites } from "./queries/orphaned-writes.js";
import type { PruneReport } from "./retention-types.js";
import { type Cutoffs, type NamespaceHead, SubgraphCalls } from "./subgraph-calls.js";

/** How old writes without a checkpoint must be to count as orphaned, in milliseconds. Before that, it may still be stored. */
const ORPHANED_AFTER_MS = 60 * 60 * 1000;

/** The earliest time that a `Date` can hold. */
const EARLIEST_MS = -8.64e15;

/** Runs a checked call of `prune`. */
export function prune(call: SaverCall, request: PruneRequest): Promise<PruneReport> {
  switch (request.kind) {
    case "delete":
      return deleteThreads(call, request);
    case "deleteIdle":
      return deleteIdleThreads(call, request);
    case "retain":
      return retain(call, request);
  }
}

async function retain(call: SaverCall, request: Retention): Promise<PruneReport> {
  const { threads, keepLast, dryRun, batchSize, onProgress } = request;
  const namespaces = request.namespaces && new Set(request.namespaces);
  const tally = new PruneTally(onProgress);
  if (namespaces?.size === 0) return tally.report(dryRun);
  const cutoffs = cutoffsAt(Date.now(), request);
  const calls = new SubgraphCalls(cutoffs);
  const onMissing = (missing: readonly string[]) => {
    if (threads !== undefined) tally.addMissing(missing);
  };
  for await (const page of namespacePages(call, { threads, namespaces, keepLast, onMissing })) {
    const candidates = await findCandidates(call, page, calls, cutoffs);
    tally.startPage(page[0]?.key.threadId);
    const selected = page.filter(({ isSelected }) => isSelected);
    if (dryRun) await countPage(call, selected, candidates, { cutoffs, tally });
    else await deletePage(call, selected, candidates, { cutoffs, tally, batchSize });
    for (const { key } of selected) tally.end(key);
  }
  return tally.report(dryRun);
}

/** The ids that a rule separates checkpoints by at a time. */
export function cutoffsAt(nowMs: number, { olderThanMs }: Retention): Cutoffs {
  return {
    cutoff: olderThanMs === undefined ? undefined : idsBefore(nowMs - olderThanMs),
    orphanCutoff: idsBefore(nowMs - ORPHANED_AFTER_MS),
  };
}

function idsBefore(timeMs: number): string {
  return idsFrom(new Date(Math.max(EARLIEST_MS, timeMs)));
}

interface PageContext {
  readonly cutoffs: Cutoffs;
  readonly tally: PruneTally;
}

async function countPage(
  call: SaverCall,
  page: readonly NamespaceHead[],
  candidates: readonly RetentionCandidates[],
  { cutoffs, tally }: PageContext,
): Promise<void> {
  const candidatesOf = new Map(
    candidates.map((each) => [rowKey(each.key.threadId, each.key.checkpointNs), each]),
  );
  const scopes = page.map(({ key }) => {
    const found = candidatesOf.get(rowKey(key.threadId, key.checkpointNs));
    return { key, ids: found?.ids ?? [], isEmptied: found?.isWhole };
  });
  const orphans = await selectOrphanedWrites(call, scopes, cutoffs.orphanCutoff);
  const namespaces = scopes.map((scope, at) => ({ ...scope, orphans: orphans[at] ?? [] }));
  const counts = await countDeletable(call, namespaces);
  for (const [at, { key }] of page.entries()) tally.add(key, counts[at] ?? NO_ROWS);
}

async function deletePage(
  call: SaverCall,
  page: readonly NamespaceHead[],
  candidates: readonly DeletionCandidates[],
  { cutoffs, tally, batchSize }: PageContext & { readonly batchSize: number },
): Promise<void> {
  const keys = page.map(({ key }) => key);
  for (const plan of await planDeletions(call, candidates)) {
    for await (const counts of deleteCheckpoints(call, plan, batchSize)) tally.add(plan.key, counts);
  }
  const orphanedWrites = await selectOrphanedWrites(
    call,
    keys.map((key) => ({ key })),
    cutoffs.orphanCutoff,
  );
  for (const [at, key] of keys.entries()) {
    const ids = orphanedWrites[at] ?? [];
    if (ids.length === 0) continue;
    for await (const counts of deleteOrphanedWrites(call, { key, ids }, batchSize)) tally.add(key, counts);
  }
  const orphanedBlobs = await selectOrphanedBlobs(call, keys);
  for (const [at, key] of keys.entries()) {
    for await (const counts of deleteOrphanedBlobs(call, key, orphanedBlobs[at] ?? []))
      tally.add(key, counts);
  }
}
