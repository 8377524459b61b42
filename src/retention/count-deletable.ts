import type { CallContext } from "../db/call-context.js";
import { addCounts, NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import type { DeletionCandidates } from "./deletion-candidates.js";
import { findKeptSenders } from "./find-kept-senders.js";
import { lookUpAll } from "./look-up-all.js";
import { planDeletions } from "./plan-deletions.js";
import { countOrphanedBlobs } from "./queries/orphaned-blobs.js";
import { countWrites, type WriteCountRow } from "./queries/orphaned-writes.js";
import { measureHeaders } from "./queries/deleted-checkpoints.js";

/** A namespace to count. */
export interface CountedNamespace extends DeletionCandidates {
  /** The ids of checkpoints that have pending writes but no row. */
  readonly orphans: readonly string[];
}

/**
 * Counts what would be deleted of each namespace: the candidates, the values that only they reference, and orphaned writes.
 */
export async function countDeletable(
  call: CallContext,
  namespaces: readonly CountedNamespace[],
): Promise<RowCounts[]> {
  const plans = await lookUpAll(
    namespaces.filter(({ ids }) => ids.length > 0),
    (some) => planDeletions(call, some),
  );
  const deletableOf = (each: CountedNamespace) => plans.get(each)?.deletableIds ?? [];
  const sendersOfOrphans = await lookUpAll(
    namespaces.filter(({ orphans }) => orphans.length > 0),
    (some) =>
      findKeptSenders(
        call,
        some.map((each) => ({ key: each.key, ids: deletableOf(each) })),
      ),
  );
  const blobs = await lookUpAll(namespaces, (some) =>
    countOrphanedBlobs(
      call,
      some.map((each) => ({ ...each.key, checkpointIds: deletableOf(each) })),
    ),
  );
  const headers = await lookUpAll(
    namespaces.filter((each) => deletableOf(each).length > 0),
    (some) =>
      measureHeaders(
        call,
        some.map((each) => ({ ...each.key, checkpointIds: deletableOf(each) })),
      ),
  );
  const written = await countWritesOf(call, namespaces, (each) => [
    { ids: deletableOf(each), keptSenders: plans.get(each)?.keptSenders },
    { ids: each.orphans, keptSenders: sendersOfOrphans.get(each) },
  ]);
  return namespaces.map((each) =>
    [
      { ...NO_ROWS, checkpoints: deletableOf(each).length, ...headers.get(each) },
      { ...NO_ROWS, ...blobs.get(each) },
      { ...NO_ROWS, ...written.get(each) },
    ].reduce(addCounts),
  );
}

/** Checkpoints whose pending writes would be deleted, except the sends of `keptSenders`. */
interface DeletedWrites {
  readonly ids: readonly string[];
  readonly keptSenders: ReadonlySet<string> | undefined;
}

function countWritesOf(
  call: CallContext,
  namespaces: readonly CountedNamespace[],
  writesOf: (each: CountedNamespace) => readonly DeletedWrites[],
): Promise<Map<CountedNamespace, WriteCountRow>> {
  const withWrites = namespaces.filter((each) => writesOf(each).some(({ ids }) => ids.length > 0));
  return lookUpAll(withWrites, (some) =>
    countWrites(
      call,
      some.map((each) => ({
        ...each.key,
        checkpointIds: writesOf(each).flatMap(({ ids }) => ids),
        keptSenders: writesOf(each).flatMap(({ ids, keptSenders }) =>
          ids.filter((id) => keptSenders?.has(id)),
        ),
      })),
    ),
  );
}
