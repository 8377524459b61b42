import type { CallContext } from "../db/call-context.js";
import {
  selectCountedChannels,
  selectEmptyChannels,
  selectStoredChannels,
  selectWrittenChannels,
} from "./queries/select-delta-channels.js";
import type { LineageRow } from "./queries/select-lineage.js";
import { selectWitnesses } from "./queries/select-witnesses.js";
import { walkDeltaAncestors } from "./queries/walk-delta-ancestors.js";
import { lookUpEach } from "./look-up-each.js";
import { neededAncestors } from "./needed-ancestors.js";
import type { DoomedLineage } from "./doomed-namespace.js";

/**
 * Finds what the checkpoints that stay need of the doomed ones: the ancestors that delta channels are rebuilt from, and what
 * tells that they are delta channels, or else the next who prunes would not know.
 */
export async function findNeeded(
  call: CallContext,
  all: readonly DoomedLineage[],
): Promise<Map<DoomedLineage, Map<string, LineageRow>>> {
  const open = all.filter(({ frontier }) => frontier.length > 0);
  const counted = await lookUpEach(open, (some) => selectCountedChannels(call, keysOf(some)));
  const channels = await deltaChannels(call, open, (each) =>
    (counted.get(each) ?? []).map(({ channel }) => channel),
  );
  const walks = await lookUpEach([...channels.keys()], (some) =>
    walkDeltaAncestors(
      call,
      some.map((each) => ({
        ...each.key,
        frontier: each.frontier.map(({ checkpoint_id }) => checkpoint_id),
        channels: channels.get(each) ?? [],
      })),
    ),
  );
  const needed = new Map<DoomedLineage, Map<string, LineageRow>>();
  for (const [each, ancestors] of walks) {
    const rows = neededAncestors(ancestors);
    const told = (counted.get(each) ?? []).filter(({ channel }) => channels.get(each)?.includes(channel));
    needed.set(each, new Map([...rows, ...(rows.size === 0 ? [] : await witnesses(call, each, rows, told))]));
  }
  return needed;
}

/**
 * The delta channels that checkpoints could need older ones for, of the namespaces that have any. LangGraph counts the steps of
 * each since it was stored whole, in the metadata of every step, but not where the state is updated by hand. So these count
 * too: channels without a stored value whose version came with a write of the parent. Any other channel would have got a
 * value by it.
 *
 * Of these, only those that anything was ever stored of: to look for the values of others would lead to the first checkpoint.
 */
async function deltaChannels(
  call: CallContext,
  open: readonly DoomedLineage[],
  countedOf: (each: DoomedLineage) => readonly string[],
): Promise<Map<DoomedLineage, string[]>> {
  const empty = await lookUpEach(open, (some) =>
    selectEmptyChannels(
      call,
      some.map(({ key, frontier }) => ({
        ...key,
        checkpointIds: frontier.map(({ checkpoint_id }) => checkpoint_id),
      })),
    ),
  );
  const doubtful = new Map(
    open.map((each) => {
      const counted = new Set(countedOf(each));
      return [each, (empty.get(each) ?? []).filter(({ channel }) => !counted.has(channel))] as const;
    }),
  );
  const written = await lookUpEach(
    open.filter((each) => (doubtful.get(each) ?? []).length > 0),
    (some) =>
      selectWrittenChannels(
        call,
        some.map((each) => ({ ...each.key, empty: doubtful.get(each) ?? [] })),
      ),
  );
  const known = new Map(
    open.map((each) => {
      const names = (written.get(each) ?? []).map(({ channel }) => channel);
      return [each, [...new Set([...countedOf(each), ...names])]] as const;
    }),
  );
  const stored = await lookUpEach(
    open.filter((each) => (known.get(each) ?? []).length > 0),
    (some) =>
      selectStoredChannels(
        call,
        some.map((each) => ({ ...each.key, channels: known.get(each) ?? [] })),
      ),
  );
  const channels = [...stored].map(([each, rows]) => [each, rows.map(({ channel }) => channel)] as const);
  return new Map(channels.filter(([, names]) => names.length > 0));
}

/** What tells of delta channels that nothing else would tell of any more. */
async function witnesses(
  call: CallContext,
  { key, ids, lineage }: DoomedLineage,
  needed: ReadonlyMap<string, LineageRow>,
  counted: readonly { readonly channel: string; readonly newest_id: string }[],
): Promise<Map<string, LineageRow>> {
  const going = new Set(ids.filter((id) => !needed.has(id)));
  const doubtful = counted.filter(({ newest_id }) => going.has(newest_id));
  if (doubtful.length === 0) return new Map();
  const names = doubtful.map(({ channel }) => channel);
  const kept = new Set(
    (await selectWitnesses(call, key, names, [...going])).map(({ checkpoint_id }) => checkpoint_id),
  );
  const rows = lineage.filter(({ checkpoint_id }) => kept.has(checkpoint_id));
  return new Map(rows.map((row) => [row.checkpoint_id, row]));
}

function keysOf(some: readonly DoomedLineage[]) {
  return some.map(({ key }) => key);
}
