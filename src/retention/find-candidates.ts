import type { CallContext } from "../db/call-context.js";
import { rowKey } from "../saver/model/keys.js";
import type { DeletionCandidates } from "./deletion-candidates.js";
import { type CandidateScope, selectCandidates } from "./queries/select-candidates.js";
import { selectExisting } from "./queries/select-existing.js";
import {
  type Cutoffs,
  type NamespaceHead,
  type ParentCheckpoint,
  parentsOfCall,
  type SubgraphCalls,
} from "./subgraph-calls.js";

/** The candidates that a retention rule selects in a namespace. */
export interface RetentionCandidates extends DeletionCandidates {
  /** Whether they are all checkpoints of the namespace. */
  readonly isWhole: boolean;
}

/** Finds the candidates of a page of namespaces, and omits namespaces without any. */
export async function findCandidates(
  call: CallContext,
  page: readonly NamespaceHead[],
  calls: SubgraphCalls,
  { cutoff }: Cutoffs,
): Promise<RetentionCandidates[]> {
  const stored = await storedParents(call, page);
  const scopes = page.flatMap((head): CandidateScope[] => {
    const { key, isSelected, oldestKeptId } = head;
    const isStored = (parent: ParentCheckpoint) =>
      stored.has(rowKey(key.threadId, parent.checkpointNs, parent.checkpointId));
    if (calls.isOver(head, isStored)) return [{ ...key, below: undefined }];
    return isSelected && oldestKeptId !== null ? [{ ...key, below: oldestKeptId }] : [];
  });
  const ids = await selectCandidates(call, scopes, cutoff);
  return scopes
    .map(({ threadId, checkpointNs, below }, at) => ({
      key: { threadId, checkpointNs },
      ids: ids[at] ?? [],
      isWhole: below === undefined,
    }))
    .filter((each) => each.ids.length > 0);
}

/** The row keys of the parent checkpoints of a page's subgraph calls that exist. */
async function storedParents(
  call: CallContext,
  page: readonly NamespaceHead[],
): Promise<ReadonlySet<string>> {
  const parents = page.flatMap((head) =>
    parentsOfCall(head).map((parent) => ({ ...parent, threadId: head.key.threadId })),
  );
  const existing = await selectExisting(call, parents);
  const stored = parents.filter((_, at) => existing.has(at));
  return new Set(
    stored.map(({ threadId, checkpointNs, checkpointId }) => rowKey(threadId, checkpointNs, checkpointId)),
  );
}
