import type { CallContext } from "../db/call-context.js";
import { refuseHiddenRows } from "../db/hidden-rows.js";
import type { DeletionCandidates } from "./deletion-candidates.js";
import { findKeptSenders } from "./find-kept-senders.js";
import { settledTransaction } from "./look.js";
import { lookUpAll } from "./look-up-all.js";
import type { CheckpointsKey } from "./queries/deleted-checkpoints.js";
import { type OrphanedBlobRow, selectOrphanedBlobs, selectOrphansWithout } from "./queries/orphaned-blobs.js";
import { countWrites, type OrphanScope, selectOrphanedWrites } from "./queries/orphaned-writes.js";
import { selectSettledBlobs, selectSettledWrites } from "./queries/settled-rows.js";

/** What proves that a row which nothing references will not be referenced any more. */
export interface OrphanProof {
  /** The caller says so. */
  readonly isGiven: boolean;
  /** Rows of earlier transactions have been orphans for an hour. */
  readonly transaction: string | undefined;
}

/**
 * Begins a call that deletes orphans.
 *
 * @param isGiven - Whether the caller says that all orphans may be deleted.
 * @throws HiddenRowsError where rows may be hidden.
 */
export async function beginProof(call: CallContext, isGiven: boolean): Promise<OrphanProof> {
  await refuseHiddenRows(call);
  return { isGiven, transaction: await settledTransaction(call) };
}

/** The orphaned values of a namespace. */
export interface OrphanedValues {
  /** Those that are proven to be orphans, in the order in which they are locked. */
  readonly proven: readonly OrphanedBlobRow[];
  /** The others, which stay. */
  readonly unproven: readonly OrphanedBlobRow[];
  /** Whether they stay because a checkpoint of the namespace can't be read. */
  readonly isUnreadable: boolean;
}

/**
 * Finds the values of namespaces that nothing references any more once the given checkpoints are deleted (C18). Call it before: what
 * only they reference is proven by that. What nothing references even now may belong to checkpoints that are still to come, as in
 * the middle of a restore, so it has to be settled. Until it is, the other values of the namespace stay as well: these checkpoints may
 * reference them, too.
 */
export async function findOrphanedValues(
  call: CallContext,
  namespaces: readonly DeletionCandidates[],
  proof: OrphanProof,
): Promise<OrphanedValues[]> {
  // In this order: a value that is stored in between is not taken for one that the checkpoints reference.
  const withoutThem = await lookUpAll(
    namespaces.filter(({ ids }) => ids.length > 0),
    (some) =>
      selectOrphansWithout(
        call,
        some.map(({ key, ids }) => ({ ...key, checkpointIds: ids })),
      ),
  );
  const now = await lookUpAll(namespaces, (some) =>
    selectOrphanedBlobs(
      call,
      some.map(({ key }) => key),
    ),
  );
  const unsettled = await withUnsettled(call, now, proof);
  return namespaces.map((each) => {
    const all = withoutThem.get(each) ?? now.get(each) ?? [];
    const isUnreadable = all.some(({ is_readable }) => !is_readable);
    const isProven = !isUnreadable && !unsettled.has(each);
    return { proven: isProven ? all : [], unproven: isProven ? [] : all, isUnreadable };
  });
}

/** The namespaces with values that nothing references, and that are not all settled. */
async function withUnsettled(
  call: CallContext,
  values: ReadonlyMap<DeletionCandidates, readonly OrphanedBlobRow[]>,
  { isGiven, transaction }: OrphanProof,
): Promise<Set<DeletionCandidates>> {
  if (isGiven) return new Set();
  const found = [...values].filter(([, rows]) => rows.length > 0).map(([each]) => each);
  if (transaction === undefined) return new Set(found);
  const settled = await lookUpAll(found, (some) =>
    selectSettledBlobs(
      call,
      some.map((each) => ({
        ...each.key,
        channels: (values.get(each) ?? []).map(({ channel }) => channel),
        versions: (values.get(each) ?? []).map(({ version }) => version),
      })),
      { transaction },
    ),
  );
  return new Set(found.filter((each) => settled.get(each)?.length !== values.get(each)?.length));
}

/** The checkpoints of a namespace that have writes but no row. */
export interface OrphanedWrites {
  /** The ids of those whose writes are proven to be orphans. */
  readonly proven: readonly string[];
  /** How many writes the others have, which stay. */
  readonly unproven: number;
}

/** Finds the writes of checkpoints that have no row. They have to be settled: the checkpoint of the others may be still to come. */
export async function findOrphanedWrites(
  call: CallContext,
  scopes: readonly OrphanScope[],
  { cutoff, proof }: { readonly cutoff: string; readonly proof: OrphanProof },
): Promise<OrphanedWrites[]> {
  const found = await selectOrphanedWrites(call, scopes, cutoff);
  const keys = scopes.map(({ key }, at) => ({ ...key, checkpointIds: found[at] ?? [] }));
  if (proof.isGiven) return keys.map(({ checkpointIds }) => ({ proven: checkpointIds, unproven: 0 }));
  const withWrites = keys.filter(({ checkpointIds }) => checkpointIds.length > 0);
  const { transaction } = proof;
  const settled =
    transaction === undefined
      ? new Map<CheckpointsKey, { checkpoint_id: string }[]>()
      : await lookUpAll(withWrites, (some) => selectSettledWrites(call, some, { transaction }));
  const provenOf = (key: CheckpointsKey) =>
    (settled.get(key) ?? []).map(({ checkpoint_id }) => checkpoint_id);
  const senders = await lookUpAll(withWrites, (some) =>
    findKeptSenders(
      call,
      some.map(({ threadId, checkpointNs }) => ({ key: { threadId, checkpointNs }, ids: [] })),
    ),
  );
  const unproven = await lookUpAll(withWrites, (some) =>
    countWrites(
      call,
      some.map((key) => {
        const proven = new Set(provenOf(key));
        const left = key.checkpointIds.filter((id) => !proven.has(id));
        return { ...key, checkpointIds: left, keptSenders: left.filter((id) => senders.get(key)?.has(id)) };
      }),
    ),
  );
  return keys.map((key) => ({ proven: provenOf(key), unproven: unproven.get(key)?.writes ?? 0 }));
}
