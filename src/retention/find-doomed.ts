import type { CallContext } from "../db/call-context.js";
import { rowKey } from "../saver/model/row-key.js";
import { type DoomedScope, selectDoomed } from "./queries/select-doomed.js";
import { selectPresent } from "./queries/select-present.js";
import type { DoomedNamespace } from "./doomed-namespace.js";
import { type Cutoffs, type NamespaceHead, parentsOfCall, type SubgraphCalls } from "./subgraph-calls.js";

/** The checkpoints of a namespace that are to go. */
export interface FoundDoomed extends DoomedNamespace {
  /** Whether these are all. */
  readonly isWhole: boolean;
}

/** Finds which checkpoints of a page's namespaces are to go, of those that have any. */
export async function findDoomed(
  call: CallContext,
  page: readonly NamespaceHead[],
  calls: SubgraphCalls,
  { cutoff }: Cutoffs,
): Promise<FoundDoomed[]> {
  const stored = await storedParents(call, page);
  const scopes = page.flatMap((head): DoomedScope[] => {
    const { key, isMeant, oldestKeptId } = head;
    const isStored = (parent: { checkpointNs: string; checkpointId: string }) =>
      stored.has(rowKey(key.threadId, parent.checkpointNs, parent.checkpointId));
    if (calls.isOver(head, isStored)) return [{ ...key, below: undefined }];
    return isMeant && oldestKeptId !== null ? [{ ...key, below: oldestKeptId }] : [];
  });
  if (scopes.length === 0) return [];
  const ids = await selectDoomed(call, scopes, cutoff);
  return scopes
    .map(({ threadId, checkpointNs, below }, at) => ({
      key: { threadId, checkpointNs },
      ids: ids[at] ?? [],
      isWhole: below === undefined,
    }))
    .filter((each) => each.ids.length > 0);
}

/** Those of the checkpoints that led to a page's subgraph calls which are there, by their keys. */
async function storedParents(
  call: CallContext,
  page: readonly NamespaceHead[],
): Promise<ReadonlySet<string>> {
  const parents = page.flatMap((head) =>
    parentsOfCall(head).map((parent) => ({ ...parent, threadId: head.key.threadId })),
  );
  if (parents.length === 0) return new Set();
  const present = await selectPresent(call, parents);
  const stored = parents.filter((_, at) => present.has(at));
  return new Set(
    stored.map(({ threadId, checkpointNs, checkpointId }) => rowKey(threadId, checkpointNs, checkpointId)),
  );
}
