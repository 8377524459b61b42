import { WritesMissingError } from "../../errors/index.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import type { CallContext } from "../../db/call-context.js";
import { getLineage, type LineageChannel, type LineageStepRow } from "../queries/get-lineage.js";

/** How a channel got its value: a base value, and the steps that changed it. */
export interface ChannelPath {
  readonly channel: string;
  /** The ancestor that stores a value of the channel, or has no version of it yet. */
  readonly base: Ancestor;
  /** The steps, the oldest first. */
  readonly steps: readonly ChannelStep[];
}

/** A step from a checkpoint to its successor that changed a channel. */
export interface ChannelStep {
  readonly before: Ancestor;
  readonly after: Ancestor;
  /** Whether the previous value of the channel triggered a node. */
  readonly isConsumed: boolean;
}

/**
 * Finds the steps that produced a missing value.
 *
 * @param lineage - The checkpoint and its ancestors, the newest first.
 * @throws WritesMissingError when no stored ancestor determines a base value.
 */
export function pathOf(channel: string, lineage: readonly Ancestor[], key: CheckpointKey): ChannelPath {
  const end = lineage.findIndex(({ channels }) => channels.get(channel)?.hasEnded === true);
  const base = lineage[end];
  if (base === undefined) throw new WritesMissingError(missingBaseReason(lineage), { ...key, channel });
  return { channel, base, steps: stepsOf(channel, lineage.slice(0, end + 1)).reverse() };
}

/** The last step that changed a channel; `undefined` if there is none. */
export function lastStepOf(channel: string, lineage: readonly Ancestor[]): ChannelStep | undefined {
  return stepsOf(channel, lineage)[0];
}

/** The steps that changed a channel, the newest first. */
function stepsOf(channel: string, lineage: readonly Ancestor[]): ChannelStep[] {
  return lineage.flatMap((after, index): ChannelStep[] => {
    const before = lineage[index + 1];
    const from = before?.channels.get(channel);
    const to = after.channels.get(channel);
    if (before === undefined || from === undefined || to === undefined || from.version === to.version)
      return [];
    const isConsumed = from.version !== null && to.seen.includes(from.version);
    return [{ before, after, isConsumed }];
  });
}

function missingBaseReason(lineage: readonly Ancestor[]): string {
  const oldest = lineage.at(-1);
  const parentId = oldest?.parentId ?? null;
  return parentId === null
    ? `the thread begins with checkpoint "${oldest?.id ?? ""}", and no task wrote the first value`
    : `its ancestor "${parentId}" is not stored`;
}

/** A checkpoint or one of its ancestors. */
export interface Ancestor {
  readonly id: string;
  readonly parentId: string | null;
  readonly source: string | null;
  /** The channels whose walk has not ended at a newer checkpoint. */
  readonly channels: ReadonlyMap<string, ChannelState>;
}

/** The state of a channel at an ancestor; see `LineageChannel`. */
interface ChannelState {
  readonly version: string | null;
  readonly hasEnded: boolean;
  readonly seen: readonly string[];
}

/** Reads a checkpoint and its ancestors, the newest first. */
export async function readLineage(
  call: CallContext,
  key: CheckpointKey,
  channels: readonly string[],
): Promise<Ancestor[]> {
  const rows = await getLineage(call, { ...key, channels });
  // On a cycle of damaged rows a checkpoint comes more than once. Its first row has all channels that are still open.
  const byId = new Map(rows.map((row) => [row.checkpoint_id, row]).reverse() as [string, LineageStepRow][]);
  const newestFirst: Ancestor[] = [];
  let next: string | null = key.checkpointId;
  while (next !== null) {
    const row = byId.get(next);
    if (row === undefined) break;
    byId.delete(next);
    newestFirst.push(toAncestor(row));
    next = row.parent_checkpoint_id;
  }
  return newestFirst;
}

function toAncestor({ checkpoint_id, parent_checkpoint_id, source, channels }: LineageStepRow): Ancestor {
  // The JSON comes from our own statement.
  const states = JSON.parse(channels) as LineageChannel[];
  return {
    id: checkpoint_id,
    parentId: parent_checkpoint_id,
    source,
    channels: new Map(
      states.map(([channel, version, hasEnded, seen]) => [channel, { version, hasEnded, seen: seen ?? [] }]),
    ),
  };
}
