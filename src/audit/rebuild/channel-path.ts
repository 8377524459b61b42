import { WritesMissingError } from "../../errors/index.js";
import type { CheckpointKey } from "../../saver/model/checkpoint-key.js";
import type { Ancestor } from "./lineage.js";

/** How a channel came to what a checkpoint has: where it began, and each step in which it changed. */
export interface ChannelPath {
  readonly channel: string;
  /** The ancestor that has a value of it, or has not begun with it. */
  readonly base: Ancestor;
  /** Oldest first. */
  readonly steps: readonly ChannelStep[];
}

/** A step from one checkpoint to the next that changed a channel. */
export interface ChannelStep {
  readonly before: Ancestor;
  readonly after: Ancestor;
  /** Whether a node has run for what the channel held before. */
  readonly isConsumed: boolean;
}

/**
 * Finds the steps that a missing value is made of.
 *
 * @param lineage - The checkpoint itself and its ancestors, the newest first.
 * @throws WritesMissingError where the ancestors do not go back far enough.
 */
export function pathOf(channel: string, lineage: readonly Ancestor[], key: CheckpointKey): ChannelPath {
  const end = lineage.findIndex(({ channels }) => channels.get(channel)?.hasEnded === true);
  const base = lineage[end];
  if (base === undefined) throw new WritesMissingError(whyEndless(lineage), { ...key, channel });
  return { channel, base, steps: stepsOf(channel, lineage.slice(0, end + 1)).reverse() };
}

/** The step in which a channel came to what the checkpoint has, whatever was before; `undefined` where there is none. */
export function lastStepOf(channel: string, lineage: readonly Ancestor[]): ChannelStep | undefined {
  return stepsOf(channel, lineage)[0];
}

/** The newest first, as the lineage is. */
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

function whyEndless(lineage: readonly Ancestor[]): string {
  const oldest = lineage.at(-1);
  const parentId = oldest?.parentId ?? null;
  return parentId === null
    ? `the thread begins with checkpoint "${oldest?.id ?? ""}", and what it began with was not written by a task`
    : `its ancestor "${parentId}" is not stored`;
}
