import { type DeletionPlan, planDeletions } from "./plan-deletions.js";
import type { DeletionCandidates } from "./find-needed.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { idsFrom } from "../saver/model/checkpoint-time.js";
import { type NamespaceKey, rowKey } from "../saver/model/keys.js";
import { NO_ROWS } from "../saver/model/row-counts.js";
import type { PruneRequest, RetentionRequest } from "./boundary/parse-prune.js";
import { countDeletable } from "./count-deletable.js";
import { deleteCheckpoints } from "./delete-checkpoints.js";
import { deleteOrphanedBlobs, deleteOrphanedWrites } from "./delete-orphans.js";
import { deleteIdleThreads, deleteWholeThreads } from "./delete-whole-threads.js";
import { findCandidates, type RetentionCandidates, namespacePages } from "./find-candidates.js";
import { beginProof, findOrphanedValues, findOrphanedWrites, type OrphanProof } from "./find-orphans.js";
import { PruneTally } from "./prune-tally.js";
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
      return deleteWholeThreads(call, request);
    case "deleteIdle":
      return deleteIdleThreads(call, request);
    case "retain":
      return retain(call, request);
  }
}

async function retain(call: SaverCall, request: RetentionRequest): Promise<PruneReport> {
  const { threads, keepLast, dryRun, batchSize, onProgress } = request;
  const namespaces = request.namespaces && new Set(request.namespaces);
  const tally = new PruneTally(onProgress);
  if (namespaces?.size === 0) return tally.report(dryRun);
  const proof = await beginProof(call, request.deleteUnproven);
  const cutoffs = cutoffsAt(Date.now(), request);
  const calls = new SubgraphCalls(cutoffs);
  const onMissing = (missing: readonly string[]) => {
    if (threads !== undefined) tally.addMissing(missing);
  };
  for await (const page of namespacePages(call, { threads, namespaces, keepLast, onMissing })) {
    const candidates = await findCandidates(call, page, calls, cutoffs);
    tally.startPage(page[0]?.key.threadId);
    const selected = page.filter(({ isSelected }) => isSelected);
    const context = { cutoffs, proof, tally };
    if (dryRun) await countPage(call, selected, candidates, context);
    else await deletePage(call, selected, candidates, { ...context, batchSize });
    for (const { key } of selected) tally.end(key);
  }
  return tally.report(dryRun);
}

/** The ids that a rule separates checkpoints by at a time. */
export function cutoffsAt(nowMs: number, { olderThanMs }: RetentionRequest): Cutoffs {
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
  readonly proof: OrphanProof;
  readonly tally: PruneTally;
}

async function countPage(
  call: SaverCall,
  page: readonly NamespaceHead[],
  candidates: readonly RetentionCandidates[],
  { cutoffs, proof, tally }: PageContext,
): Promise<void> {
  const planOf = byNamespace(await planDeletions(call, candidates));
  const whole = byNamespace(candidates.filter(({ isWhole }) => isWhole));
  const scopes = page.map((head) => ({ key: head.key, isEmptied: whole.has(nameOf(head)) }));
  const writes = await findOrphanedWrites(call, scopes, { cutoff: cutoffs.orphanCutoff, proof });
  const values = await findOrphanedValues(call, candidatesOf(page, planOf), proof);
  const counts = await countDeletable(
    call,
    page.map((head, at) => ({
      key: head.key,
      plan: planOf.get(nameOf(head)),
      orphans: writes[at]?.proven ?? [],
      values: values[at]?.proven ?? [],
    })),
  );
  for (const [at, head] of page.entries()) {
    tally.add(head.key, counts[at] ?? NO_ROWS);
    tally.unproven.add(head, values[at], writes[at]);
  }
}

async function deletePage(
  call: SaverCall,
  page: readonly NamespaceHead[],
  candidates: readonly RetentionCandidates[],
  { cutoffs, proof, tally, batchSize }: PageContext & { readonly batchSize: number },
): Promise<void> {
  const plans = await planDeletions(call, candidates);
  const planOf = byNamespace(plans);
  const values = await findOrphanedValues(call, candidatesOf(page, planOf), proof);
  for (const plan of plans) {
    for await (const counts of deleteCheckpoints(call, plan, batchSize)) tally.add(plan.key, counts);
  }
  const writes = await findOrphanedWrites(call, page, { cutoff: cutoffs.orphanCutoff, proof });
  for (const [at, { key }] of page.entries()) {
    const ids = writes[at]?.proven ?? [];
    if (ids.length === 0) continue;
    for await (const counts of deleteOrphanedWrites(call, { key, ids }, batchSize)) tally.add(key, counts);
  }
  for (const [at, head] of page.entries()) {
    const deletions = deleteOrphanedBlobs(call, head.key, values[at]?.proven ?? []);
    for await (const counts of deletions) tally.add(head.key, counts);
    tally.unproven.add(head, values[at], writes[at]);
  }
}

/** The namespaces of a page, each with the checkpoints that will be deleted. */
function candidatesOf(
  page: readonly NamespaceHead[],
  planOf: ReadonlyMap<string, DeletionPlan>,
): DeletionCandidates[] {
  return page.map((head) => ({ key: head.key, ids: planOf.get(nameOf(head))?.deletableIds ?? [] }));
}

function byNamespace<Each extends { readonly key: NamespaceKey }>(all: readonly Each[]): Map<string, Each> {
  return new Map(all.map((each) => [nameOf(each), each]));
}

function nameOf({ key: { threadId, checkpointNs } }: { readonly key: NamespaceKey }): string {
  return rowKey(threadId, checkpointNs);
}
