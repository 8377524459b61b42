import type { PruneRequest, Retention } from "../boundary/parse-prune.js";
import type { NamespaceKey } from "../checkpoint-key.js";
import { idsFrom } from "../codec/checkpoint-time.js";
import { measureThread } from "../queries/prune/measure-thread.js";
import { type DoomedRule, selectDoomed } from "../queries/prune/select-doomed.js";
import { addCounts, NO_ROWS, type RowCounts } from "../row-counts.js";
import { storeBatch } from "../store.js";
import type { WritableTables } from "../write-rules.js";
import { collectBlobs } from "./collect-blobs.js";
import { collectWrites } from "./collect-writes.js";
import { countDoomed } from "./count-doomed.js";
import { dropDoomed } from "./drop-doomed.js";
import { eachNamespace } from "./each-namespace.js";
import { PruneTally } from "./prune-tally.js";
import type { PruneReport } from "./pruning.js";

/** Writes that are younger may still wait for their checkpoint, in milliseconds. */
const ORPHANED_AFTER_MS = 60 * 60 * 1000;

/** The earliest time that a `Date` can be. */
const EARLIEST_MS = -8.64e15;

/** Does what `prune` is asked for. */
export function prune(tables: WritableTables, request: PruneRequest): Promise<PruneReport> {
  return request.kind === "delete" ? deleteThreads(tables, request.threads) : retain(tables, request);
}

async function deleteThreads(tables: WritableTables, threads: readonly string[]): Promise<PruneReport> {
  let report: PruneReport = { ...NO_ROWS, threads: 0, namespaces: 0, dryRun: false };
  for (const threadId of threads) {
    const { namespaces, ...counts } = await measureThread(tables, threadId);
    await storeBatch(tables, [{ kind: "deleteThread", threadId }]);
    report = {
      ...report,
      ...addCounts(report, counts),
      threads: report.threads + Math.min(1, namespaces),
      namespaces: report.namespaces + namespaces,
    };
  }
  return report;
}

async function retain(tables: WritableTables, request: Retention): Promise<PruneReport> {
  const { threads, namespaces, dryRun, onProgress } = request;
  const tally = new PruneTally(onProgress);
  const wanted = namespaces && new Set(namespaces);
  const bounds = boundsAt(Date.now(), request);
  if (wanted?.size === 0) return tally.report(dryRun);
  for await (const namespace of eachNamespace(tables, threads)) {
    if (wanted?.has(namespace.checkpointNs) === false) continue;
    for await (const counts of pruneNamespace(tables, namespace, bounds)) tally.add(namespace, counts);
    tally.end(namespace);
  }
  return tally.report(dryRun);
}

/** What goes of each namespace, at the time of a call. */
interface Bounds {
  readonly rule: DoomedRule;
  /** Writes of checkpoints with a smaller id have lost theirs. */
  readonly orphanCutoff: string;
  readonly batchSize: number;
  readonly dryRun: boolean;
}

function boundsAt(nowMs: number, { olderThanMs, keepLast, batchSize, dryRun }: Retention): Bounds {
  const cutoff = olderThanMs === undefined ? undefined : idsBefore(nowMs - olderThanMs);
  return {
    rule: { keepLast, cutoff },
    orphanCutoff: idsBefore(nowMs - ORPHANED_AFTER_MS),
    batchSize,
    dryRun,
  };
}

function idsBefore(timeMs: number): string {
  return idsFrom(new Date(Math.max(EARLIEST_MS, timeMs)));
}

async function* pruneNamespace(
  tables: WritableTables,
  namespace: NamespaceKey,
  { rule, orphanCutoff, batchSize, dryRun }: Bounds,
): AsyncGenerator<RowCounts> {
  const doomed = await selectDoomed(tables, namespace, rule);
  if (dryRun) {
    yield countDoomed(tables, namespace, doomed, orphanCutoff);
    return;
  }
  yield* dropDoomed(tables, namespace, doomed, batchSize);
  yield* collectWrites(tables, namespace, orphanCutoff, batchSize);
  yield* collectBlobs(tables, namespace);
}
