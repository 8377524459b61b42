import { exportPart, type ThreadPart } from "../backup/export-thread.js";
import type { RetentionRequest } from "../retention/boundary/parse-prune.js";
import { findCandidates, namespacePages } from "../retention/find-candidates.js";
import { beginProof, findOrphanedValues, findOrphanedWrites } from "../retention/find-orphans.js";
import { type DeletionPlan, planDeletions } from "../retention/plan-deletions.js";
import { cutoffsAt } from "../retention/prune.js";
import type { OrphanedBlobRow } from "../retention/queries/orphaned-blobs.js";
import { SubgraphCalls } from "../retention/subgraph-calls.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { groupBy } from "../db/group-by.js";
import { type NamespaceKey, rowKey } from "../saver/model/keys.js";
import { addCounts, NO_ROWS, numberOfRows, type RowCounts } from "../saver/model/row-counts.js";
import { type ArchivePart, type PartListener, RemovalProgress } from "./archive-part.js";
import { removeFromNamespace } from "./remove-from-namespace.js";

/** What is removed of one namespace. */
interface NamespacePart {
  readonly key: NamespaceKey;
  /** Absent where no checkpoint is removed. */
  readonly plan: DeletionPlan | undefined;
  /** The ids of checkpoints that have writes but no row. */
  readonly orphans: readonly string[];
}

interface ExportedNamespace extends NamespacePart {
  /** Values that no checkpoint references now. */
  readonly blobs: readonly OrphanedBlobRow[];
}

/** Yields the older checkpoints of threads, and what no checkpoint needs. It selects exactly what `prune` would delete. */
export async function* oldCheckpoints(
  call: SaverCall,
  request: RetentionRequest,
  { onMissing, unproven }: PartListener,
): AsyncGenerator<ArchivePart> {
  const { threads, keepLast } = request;
  const namespaces = request.namespaces && new Set(request.namespaces);
  if (namespaces?.size === 0) return;
  const proof = await beginProof(call, request.deleteUnproven);
  const cutoffs = cutoffsAt(Date.now(), request);
  const calls = new SubgraphCalls(cutoffs);
  const progress = new RemovalProgress(request.onProgress);
  const onMissingOf = (missing: readonly string[]) => {
    if (threads !== undefined) onMissing(missing);
  };
  for await (const page of namespacePages(call, { threads, namespaces, keepLast, onMissing: onMissingOf })) {
    const candidates = await findCandidates(call, page, calls, cutoffs);
    const plans = new Map((await planDeletions(call, candidates)).map((plan) => [keyOf(plan.key), plan]));
    const whole = new Set(candidates.filter(({ isWhole }) => isWhole).map(({ key }) => keyOf(key)));
    const selected = page.filter(({ isSelected }) => isSelected);
    const keys = selected.map(({ key }) => key);
    const scopes = keys.map((key) => ({ key, isEmptied: whole.has(keyOf(key)) }));
    const writes = await findOrphanedWrites(call, scopes, { cutoff: cutoffs.orphanCutoff, proof });
    // Values that only archived checkpoints reference are in the file anyway.
    const values = await findOrphanedValues(
      call,
      keys.map((key) => ({ key, ids: [] })),
      proof,
    );
    for (const [at, head] of selected.entries()) unproven.add(head, values[at], writes[at]);
    const parts = keys.map((key, at): ExportedNamespace => ({
      key,
      plan: plans.get(keyOf(key)),
      orphans: writes[at]?.proven ?? [],
      blobs: values[at]?.proven ?? [],
    }));
    const exported = parts.filter((part) => sizeOf(part) > 0);
    for (const [threadId, ofThread] of groupBy(exported, ({ key }) => key.threadId)) {
      yield toPart(call, threadId, { namespaces: ofThread, batchSize: request.batchSize, progress });
    }
  }
}

interface ThreadScope {
  readonly namespaces: readonly ExportedNamespace[];
  readonly batchSize: number;
  readonly progress: RemovalProgress;
}

function toPart(
  call: SaverCall,
  threadId: string,
  { namespaces, batchSize, progress }: ThreadScope,
): ArchivePart {
  const part = rowsOf(namespaces);
  return {
    threadId,
    size: namespaces.reduce((sum, namespace) => sum + sizeOf(namespace), 0),
    rows: (within) => exportPart(within, threadId, part),
    remove: async (archived) => {
      let total: RowCounts = NO_ROWS;
      let isChanged = false;
      for (const namespace of namespaces) {
        const removed = removeFromNamespace(call, namespace, { archived, batchSize });
        for await (const { isChanged: stays, ...counts } of removed) {
          total = addCounts(total, counts);
          isChanged ||= stays;
          progress.add(namespace.key, counts);
        }
        progress.add(namespace.key, NO_ROWS, 1);
      }
      return { ...total, isChanged };
    },
  };
}

function rowsOf(namespaces: readonly ExportedNamespace[]): ThreadPart {
  return {
    checkpoints: namespaces.flatMap(({ key: { checkpointNs }, plan }) =>
      (plan?.deletableIds ?? []).map((checkpointId) => ({ checkpointNs, checkpointId })),
    ),
    orphans: namespaces.flatMap(({ key: { checkpointNs }, orphans }) =>
      orphans.map((checkpointId) => ({ checkpointNs, checkpointId })),
    ),
    blobs: namespaces.flatMap(({ key, blobs }) =>
      blobs.map(({ channel, version }) => ({ checkpoint_ns: key.checkpointNs, channel, version })),
    ),
  };
}

function sizeOf({ plan, orphans, blobs }: ExportedNamespace): number {
  const checkpoints = plan?.deletableIds.length ?? 0;
  return numberOfRows({ checkpoints, writes: orphans.length, blobs: blobs.length });
}

function keyOf({ threadId, checkpointNs }: NamespaceKey): string {
  return rowKey(threadId, checkpointNs);
}
