import { WritesMissingError } from "../../errors/index.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import type { Ancestor } from "./read-lineage.js";

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
