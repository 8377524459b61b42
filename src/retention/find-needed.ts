import type { CallContext } from "../db/call-context.js";
import { groupBy } from "../db/group-by.js";
import { lookUpAll } from "./queries/per-namespace.js";
import {
  selectCountedChannels,
  selectLastCounters,
  selectEmptyChannels,
  selectWrittenChannels,
  selectStoredChannels,
} from "./queries/delta-channels.js";
import { type ParentageRow, selectAllSendReaders } from "./queries/lineage.js";
import { type AncestorRow, walkDeltaAncestors } from "./queries/walk-delta-ancestors.js";
import type { NamespaceKey } from "../saver/model/keys.js";

/** The checkpoints of a namespace that a retention rule or a run id selects for deletion. */
export interface DeletionCandidates {
  readonly key: NamespaceKey;
  /** Newest first. */
  readonly ids: readonly string[];
}

/** The candidates of a namespace, with the parents of all of its checkpoints. */
export interface CandidateLineage extends DeletionCandidates {
  readonly lineage: readonly ParentageRow[];
  /** The kept checkpoints whose parents are candidates. What they need of older checkpoints, they reach through these parents. */
  readonly keptChildren: readonly ParentageRow[];
}

/**
 * Finds the candidates that kept checkpoints need, by namespace and id: the ancestors that delta channels are rebuilt from,
 * and the last checkpoint that marks a channel as a delta channel, so that the next `prune` still recognizes it.
 */
export async function findNeededAncestors(
  call: CallContext,
  all: readonly CandidateLineage[],
): Promise<Map<CandidateLineage, Map<string, ParentageRow>>> {
  const withKept = all.filter(({ keptChildren }) => keptChildren.length > 0);
  const counted = await lookUpAll(call, withKept, selectCountedChannels, ({ key }) => key);
  const channels = await deltaChannels(call, withKept, (each) =>
    (counted.get(each) ?? []).map(({ channel }) => channel),
  );
  const walks = await lookUpAll(call, [...channels.keys()], walkDeltaAncestors, (each) => ({
    ...each.key,
    startIds: each.keptChildren.map(({ checkpoint_id }) => checkpoint_id),
    channels: channels.get(each) ?? [],
  }));
  const needed = new Map<CandidateLineage, Map<string, ParentageRow>>();
  for (const [each, ancestors] of walks) {
    const rows = ancestorsToKeep(ancestors);
    const markers = (counted.get(each) ?? []).filter(({ channel }) => channels.get(each)?.includes(channel));
    const marking = rows.size === 0 ? [] : await lastMarkers(call, each, rows, markers);
    needed.set(each, new Map([...rows, ...marking]));
  }
  return needed;
}

/**
 * The delta channels, by namespace, for which kept checkpoints may need older ones. LangGraph counts the super-steps of such a
 * channel since its last stored value in the metadata of every super-step, but not when the state is updated by hand. So a
 * channel without a stored value also counts when a write of the parent made its version: that write would have stored a value
 * of any other channel.
 *
 * It omits channels without any stored write or value: a walk for them would visit all ancestors up to the first checkpoint.
 */
async function deltaChannels(
  call: CallContext,
  withKept: readonly CandidateLineage[],
  countedOf: (each: CandidateLineage) => readonly string[],
): Promise<Map<CandidateLineage, string[]>> {
  const empty = await lookUpAll(call, withKept, selectEmptyChannels, ({ key, keptChildren }) => ({
    ...key,
    checkpointIds: keptChildren.map(({ checkpoint_id }) => checkpoint_id),
  }));
  const uncounted = new Map(
    withKept.map((each) => {
      const counted = new Set(countedOf(each));
      return [each, (empty.get(each) ?? []).filter(({ channel }) => !counted.has(channel))] as const;
    }),
  );
  const withUncounted = withKept.filter((each) => (uncounted.get(each) ?? []).length > 0);
  const written = await lookUpAll(call, withUncounted, selectWrittenChannels, (each) => ({
    ...each.key,
    empty: uncounted.get(each) ?? [],
  }));
  const known = new Map(
    withKept.map((each) => {
      const names = (written.get(each) ?? []).map(({ channel }) => channel);
      return [each, [...new Set([...countedOf(each), ...names])]] as const;
    }),
  );
  const withKnown = withKept.filter((each) => (known.get(each) ?? []).length > 0);
  const stored = await lookUpAll(call, withKnown, selectStoredChannels, (each) => ({
    ...each.key,
    channels: known.get(each) ?? [],
  }));
  const channels = [...stored].map(([each, rows]) => [each, rows.map(({ channel }) => channel)] as const);
  return new Map(channels.filter(([, names]) => names.length > 0));
}

/**
 * Of the ancestors that the walks visit, those with a stored value or a write of the channels, and those on the way there.
 * Ancestors beyond the last of them contribute nothing.
 */
function ancestorsToKeep(rows: readonly AncestorRow[]): Map<string, AncestorRow> {
  const visitedBefore = groupBy(
    rows.filter(({ parent_checkpoint_id }) => parent_checkpoint_id !== null),
    (row) => walkState(row.parent_checkpoint_id ?? "", row.found_after),
  );
  const needed = new Map<AncestorRow, string>();
  const open = rows.filter(({ contributes }) => contributes);
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    if (needed.has(row)) continue;
    needed.set(row, row.checkpoint_id);
    open.push(...(visitedBefore.get(walkState(row.checkpoint_id, row.found_before)) ?? []));
  }
  return new Map([...needed].map(([row, id]) => [id, row]));
}

/** Identifies the state of a walk: a checkpoint, and the channels that were found before it. */
function walkState(checkpointId: string, found: string): string {
  return JSON.stringify([checkpointId, found]);
}

/** The candidates to keep because no other checkpoint's metadata would mark a channel as a delta channel. */
async function lastMarkers(
  call: CallContext,
  { key, ids, lineage }: CandidateLineage,
  needed: ReadonlyMap<string, ParentageRow>,
  counted: readonly { readonly channel: string; readonly newest_id: string }[],
): Promise<Map<string, ParentageRow>> {
  const deletable = new Set(ids.filter((id) => !needed.has(id)));
  const channels = counted.filter(({ newest_id }) => deletable.has(newest_id)).map(({ channel }) => channel);
  if (channels.length === 0) return new Map();
  const counters = await selectLastCounters(call, key, channels, [...deletable]);
  const kept = new Set(counters.map(({ checkpoint_id }) => checkpoint_id));
  const rows = lineage.filter(({ checkpoint_id }) => kept.has(checkpoint_id));
  return new Map(rows.map((row) => [row.checkpoint_id, row]));
}

/**
 * Finds the checkpoints of each namespace, stored or not, whose sends a checkpoint of a format before version 4 reads.
 *
 * @param namespaces - With the checkpoints that don't count as readers, as if they were deleted already.
 */
export async function findKeptSenders(
  call: CallContext,
  namespaces: readonly DeletionCandidates[],
): Promise<Set<string>[]> {
  const readers = await selectAllSendReaders(
    call,
    namespaces.map(({ key }) => key),
  );
  return namespaces.map(({ ids }, at) => {
    const deleted = new Set(ids);
    const reading = (readers[at] ?? []).filter(({ checkpoint_id }) => !deleted.has(checkpoint_id));
    return new Set(reading.map(({ parent_checkpoint_id }) => parent_checkpoint_id));
  });
}
