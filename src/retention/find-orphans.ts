import type { BlobsKey } from "../saver/queries/lock-blobs.js";
import type { CallContext } from "../db/call-context.js";
import { refuseHiddenRows } from "../db/hidden-rows.js";
import { type DeletionCandidates, findKeptSenders } from "./find-needed.js";
import { lookUpAll } from "./queries/per-namespace.js";
import type { CheckpointsKey } from "./queries/deleted-checkpoints.js";
import { type OrphanedBlobRow, selectOrphanedBlobs } from "./queries/orphaned-blobs.js";
import { countWrites, type OrphanScope, selectOrphanedWrites } from "./queries/orphaned-writes.js";
import { selectSettledBlobs, selectSettledWrites, oldestTransaction } from "./queries/settled-rows.js";
import { placementOf, RememberedBySchema } from "../db/placement/placement.js";
import { runStatement } from "../db/statements/run-statement.js";

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
  const found = await lookUpAll(call, namespaces, selectOrphanedBlobs, ({ key, ids }) => ({
    ...key,
    checkpointIds: ids,
  }));
  const now = new Map([...found].map(([each, rows]) => [each, rows.filter(({ is_orphan }) => is_orphan)]));
  const unsettled = await withUnsettled(call, now, proof);
  return namespaces.map((each) => {
    const all = found.get(each) ?? [];
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
  const settled = await lookUpAll(
    call,
    found,
    (within, keys: readonly BlobsKey[]) => selectSettledBlobs(within, keys, { transaction }),
    (each) => ({
      ...each.key,
      channels: (values.get(each) ?? []).map(({ channel }) => channel),
      versions: (values.get(each) ?? []).map(({ version }) => version),
    }),
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
  const keys: CheckpointsKey[] = scopes.map(({ key }, at) => ({ ...key, checkpointIds: found[at] ?? [] }));
  if (proof.isGiven) return keys.map(({ checkpointIds }) => ({ proven: checkpointIds, unproven: 0 }));
  const withWrites = keys.filter(({ checkpointIds }) => checkpointIds.length > 0);
  const { transaction } = proof;
  const settled =
    transaction === undefined ? [] : await selectSettledWrites(call, withWrites, { transaction });
  const provenOf = (key: CheckpointsKey) =>
    (settled[withWrites.indexOf(key)] ?? []).map(({ checkpoint_id }) => checkpoint_id);
  const senders = await lookUpAll(call, withWrites, findKeptSenders, (key) => ({ key, ids: [] }));
  const unproven = await lookUpAll(call, withWrites, countWrites, (key) => {
    const proven = new Set(provenOf(key));
    const left = key.checkpointIds.filter((id) => !proven.has(id));
    return { ...key, checkpointIds: left, keptSenders: left.filter((id) => senders.get(key)?.has(id)) };
  });
  return keys.map((key) => ({ proven: provenOf(key), unproven: unproven.get(key)?.writes ?? 0 }));
}

/** How long rows must have been there before they count as orphans that nobody will reference any more, in milliseconds. */
const GRACE_MS = 60 * 60 * 1000;

/** What a call has seen of the server: all transactions before this one had ended. */
interface Look {
  readonly transaction: string;
  readonly takenAtMs: number;
}

/** The looks at one database. A transaction means nothing on another server, or after it was restored to an earlier time. */
interface Looks {
  readonly server: string;
  /** The first look, and then the first one in each grace after it. */
  readonly latest: Look;
  /** A look that is older than the grace. */
  readonly settled: Look | undefined;
}

const LOOKS = new RememberedBySchema<Looks>();

/**
 * Takes a look at the server, and returns the one that the process took an hour ago or more: a transaction before which a row was
 * stored that is at least so old. Rows have no time of their own. A restore stores rows anew, so they are young again.
 *
 * @returns `undefined` where no look is so old, and on Citus, whose nodes count transactions of their own.
 */
async function settledTransaction(call: CallContext): Promise<string | undefined> {
  if ((await placementOf(call)).isOnNodes) return undefined;
  const [seen] = await runStatement(call, oldestTransaction, {});
  if (seen === undefined) return undefined;
  const { server, transaction } = seen;
  const takenAtMs = performance.now();
  const known = LOOKS.get(call);
  const isSame = known?.server === server;
  const isDue = !isSame || takenAtMs - known.latest.takenAtMs >= GRACE_MS;
  if (!isDue) return known.settled?.transaction;
  const settled = isSame ? known.latest : undefined;
  LOOKS.set(call, { server, latest: { transaction, takenAtMs }, settled });
  return settled?.transaction;
}
