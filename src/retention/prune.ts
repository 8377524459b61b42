import type { PruneRequest, Retention } from "./boundary/parse-prune.js";
import { idsFrom } from "../saver/model/checkpoint-time.js";
import { selectOrphanedBlobs } from "./queries/orphaned-blobs.js";
import { selectOrphanedWrites } from "./queries/orphaned-writes.js";
import { NO_ROWS } from "../saver/model/row-counts.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { collectBlobs } from "./collect-blobs.js";
import { collectWrites } from "./collect-writes.js";
import { countGoing } from "./count-going.js";
import { deleteIdleThreads, deleteThreads } from "./delete-threads.js";
import { dropDoomed } from "./drop-doomed.js";
import { findDoomed, type FoundDoomed } from "./find-doomed.js";
import { namespacePages } from "./namespace-pages.js";
import type { DoomedNamespace } from "./doomed-namespace.js";
import { planDrops } from "./plan-drops.js";
import { PruneTally } from "./prune-tally.js";
import type { PruneReport } from "./retention-types.js";
import { type Cutoffs, type NamespaceHead, SubgraphCalls } from "./subgraph-calls.js";

/** Writes that are younger may still wait for their checkpoint, in milliseconds. */
const ORPHANED_AFTER_MS = 60 * 60 * 1000;

/** The earliest time that a `Date` can be. */
const EARLIEST_MS = -8.64e15;

/** Does what `prune` is asked for. */
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
  const onMissing = (some: readonly string[]) => {
    if (threads !== undefined) tally.addMissing(some);
  };
  for await (const page of namespacePages(call, { threads, namespaces, keepLast, onMissing })) {
    const doomed = await findDoomed(call, page, calls, cutoffs);
    tally.startPage(page[0]?.key.threadId);
    const meant = page.filter(({ isMeant }) => isMeant);
    if (dryRun) await countPage(call, meant, doomed, { cutoffs, tally });
    else await prunePage(call, meant, doomed, { cutoffs, tally, batchSize });
    for (const { key } of meant) tally.end(key);
  }
  return tally.report(dryRun);
}

function cutoffsAt(nowMs: number, { olderThanMs }: Retention): Cutoffs {
  return {
    cutoff: olderThanMs === undefined ? undefined : idsBefore(nowMs - olderThanMs),
    orphanCutoff: idsBefore(nowMs - ORPHANED_AFTER_MS),
  };
}

function idsBefore(timeMs: number): string {
  return idsFrom(new Date(Math.max(EARLIEST_MS, timeMs)));
}

interface Counting {
  readonly cutoffs: Cutoffs;
  readonly tally: PruneTally;
}

async function countPage(
  call: SaverCall,
  page: readonly NamespaceHead[],
  doomed: readonly FoundDoomed[],
  { cutoffs, tally }: Counting,
): Promise<void> {
  const keys = page.map(({ key }) => key);
  const found = new Map(doomed.map((each) => [JSON.stringify(each.key), each]));
  const scopes = keys.map((key) => {
    const { ids = [], isWhole: isEmptied } = found.get(JSON.stringify(key)) ?? {};
    return { key, ids, isEmptied };
  });
  const lost = await selectOrphanedWrites(call, scopes, cutoffs.orphanCutoff);
  const namespaces = scopes.map((scope, at) => ({ ...scope, lost: lost[at] ?? [] }));
  const counts = await countGoing(call, namespaces);
  for (const [at, key] of keys.entries()) tally.add(key, counts[at] ?? NO_ROWS);
}

async function prunePage(
  call: SaverCall,
  page: readonly NamespaceHead[],
  doomed: readonly DoomedNamespace[],
  { cutoffs, tally, batchSize }: Counting & { readonly batchSize: number },
): Promise<void> {
  const keys = page.map(({ key }) => key);
  for (const plan of await planDrops(call, doomed)) {
    for await (const counts of dropDoomed(call, plan, batchSize)) tally.add(plan.key, counts);
  }
  const lost = await selectOrphanedWrites(
    call,
    keys.map((key) => ({ key })),
    cutoffs.orphanCutoff,
  );
  for (const [at, key] of keys.entries()) {
    const ids = lost[at] ?? [];
    if (ids.length === 0) continue;
    for await (const counts of collectWrites(call, { key, ids }, batchSize)) tally.add(key, counts);
  }
  const orphans = await selectOrphanedBlobs(call, keys);
  for (const [at, key] of keys.entries()) {
    for await (const counts of collectBlobs(call, key, orphans[at] ?? [])) tally.add(key, counts);
  }
}
