import { headerSizes } from "./queries/deleted-checkpoints.js";
import type { CallContext } from "../db/call-context.js";
import { addCounts, NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import type { NamespaceKey } from "../saver/model/keys.js";
import { findKeptSenders } from "./find-needed.js";
import { lookUpAll } from "./queries/per-namespace.js";
import type { DeletionPlan } from "./plan-deletions.js";
import type { OrphanedBlobRow } from "./queries/orphaned-blobs.js";
import { countWrites } from "./queries/orphaned-writes.js";

/** A namespace to count. */
interface CountedNamespace {
  readonly key: NamespaceKey;
  /** The checkpoints to delete; absent where there are none. */
  readonly plan: DeletionPlan | undefined;
  /** The ids of checkpoints that have pending writes but no row. */
  readonly orphans: readonly string[];
  /** The values to delete. */
  readonly values: readonly OrphanedBlobRow[];
}

/** Counts what would be deleted of each namespace: checkpoints, values and writes. */
export async function countDeletable(
  call: CallContext,
  namespaces: readonly CountedNamespace[],
): Promise<RowCounts[]> {
  const withOrphans = namespaces.filter(({ orphans }) => orphans.length > 0);
  const sendersOfOrphans = await lookUpAll(call, withOrphans, findKeptSenders, (each) => ({
    key: each.key,
    ids: deletableOf(each),
  }));
  const withDeletable = namespaces.filter((each) => deletableOf(each).length > 0);
  const headers = await lookUpAll(call, withDeletable, headerSizes, (each) => ({
    ...each.key,
    checkpointIds: deletableOf(each),
  }));
  const writesOf = (each: CountedNamespace): DeletedWrites[] => [
    { ids: deletableOf(each), keptSenders: each.plan?.keptSenders },
    { ids: each.orphans, keptSenders: sendersOfOrphans.get(each) },
  ];
  const withWrites = namespaces.filter((each) => writesOf(each).some(({ ids }) => ids.length > 0));
  const written = await lookUpAll(call, withWrites, countWrites, (each) => ({
    ...each.key,
    checkpointIds: writesOf(each).flatMap(({ ids }) => ids),
    keptSenders: writesOf(each).flatMap(({ ids, keptSenders }) => ids.filter((id) => keptSenders?.has(id))),
  }));
  return namespaces.map((each) =>
    [
      { ...NO_ROWS, checkpoints: deletableOf(each).length, bytes: headers.get(each)?.[0]?.bytes ?? 0 },
      { ...NO_ROWS, blobs: each.values.length, bytes: bytesOf(each.values) },
      { ...NO_ROWS, ...written.get(each) },
    ].reduce(addCounts),
  );
}

function deletableOf({ plan }: CountedNamespace): readonly string[] {
  return plan?.deletableIds ?? [];
}

function bytesOf(values: readonly OrphanedBlobRow[]): number {
  return values.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
}

/** Checkpoints whose pending writes would be deleted, except the sends of `keptSenders`. */
interface DeletedWrites {
  readonly ids: readonly string[];
  readonly keptSenders: ReadonlySet<string> | undefined;
}
