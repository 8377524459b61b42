import type { CallContext } from "../db/call-context.js";
import { type NamespaceKey, compareText } from "../saver/model/keys.js";
import { groupBy } from "../db/group-by.js";
import { type CandidateLineage, type DeletionCandidates, findNeededAncestors } from "./find-needed.js";
import { lookUpAll } from "./queries/per-namespace.js";
import { type ParentageRow, selectLineage, selectSendReaders } from "./queries/lineage.js";

/** The deletions in one namespace. */
export interface DeletionPlan {
  readonly key: NamespaceKey;
  /** Newest first, so that children are deleted before their parents and every remaining checkpoint stays readable. */
  readonly deletableIds: readonly string[];
  /** By checkpoint, the children that were examined and that exist when it is deleted. */
  readonly children: ReadonlyMap<string, readonly ParentageRow[]>;
  /** The checkpoints whose sends stay, because a kept checkpoint of a format before version 4 reads them. */
  readonly keptSenders: ReadonlySet<string>;
}

/**
 * Finds which candidates can be deleted, and what the kept checkpoints need: the ancestors that delta channels are rebuilt
 * from, and sends. It only reads. The number of statements doesn't grow with the number of namespaces, except for one per
 * namespace whose delta channels need ancestors.
 */
export async function planDeletions(
  call: CallContext,
  candidates: readonly DeletionCandidates[],
): Promise<DeletionPlan[]> {
  const lineages = await lookUpAll(call, candidates, selectLineage, ({ key }) => key);
  const all = candidates.map((each) => withLineage(each, lineages.get(each) ?? []));
  const needed = await findNeededAncestors(call, all);
  const kept = new Map(
    all.map((each) => [each, [...each.keptChildren, ...(needed.get(each)?.values() ?? [])]] as const),
  );
  const withKept = all.filter((each) => (kept.get(each) ?? []).length > 0);
  const readers = await lookUpAll(call, withKept, selectSendReaders, (each) => ({
    ...each.key,
    checkpointIds: (kept.get(each) ?? []).map(({ checkpoint_id }) => checkpoint_id),
  }));
  return all.map((each) => ({
    key: each.key,
    deletableIds: each.ids.filter((id) => needed.get(each)?.has(id) !== true),
    children: groupBy(
      [...(kept.get(each) ?? []), ...childrenOfCandidates(each).filter(isDeletedAfterParent)],
      ({ parent_checkpoint_id }) => parent_checkpoint_id ?? "",
    ),
    keptSenders: new Set((readers.get(each) ?? []).map(({ parent_checkpoint_id }) => parent_checkpoint_id)),
  }));
}

function withLineage(candidates: DeletionCandidates, lineage: readonly ParentageRow[]): CandidateLineage {
  const isCandidate = new Set(candidates.ids);
  const keptChildren = childrenOfCandidates({ ...candidates, lineage }).filter(
    ({ checkpoint_id }) => !isCandidate.has(checkpoint_id),
  );
  return { ...candidates, lineage, keptChildren };
}

function childrenOfCandidates({ ids, lineage }: Pick<CandidateLineage, "ids" | "lineage">): ParentageRow[] {
  const isCandidate = new Set(ids);
  return lineage.filter(({ parent_checkpoint_id: id }) => id !== null && isCandidate.has(id));
}

/** Ids grow from parent to child, except where the clocks of writers differ. There the parent is deleted first. */
function isDeletedAfterParent({ checkpoint_id, parent_checkpoint_id }: ParentageRow): boolean {
  return parent_checkpoint_id !== null && compareText(checkpoint_id, parent_checkpoint_id) < 0;
}
