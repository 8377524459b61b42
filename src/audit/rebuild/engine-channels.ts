import { WritesMissingError } from "../../errors/index.js";
import type { CheckpointKey } from "../../saver/model/checkpoint-key.js";
import { INPUT_CHANNEL, isTrigger } from "../../saver/codec/may-be-empty.js";
import type { ChannelStep } from "./channel-path.js";

/** Stands for a channel that holds nothing. */
export const EMPTY = Symbol("empty");

/** What the last step has left in a channel. */
export interface LastStep {
  readonly channel: string;
  /** `undefined` where the channel has been as it is since the thread began. */
  readonly step: ChannelStep | undefined;
  /** What was written to it in that step. */
  readonly updates: readonly unknown[];
}

/** Whether a channel is one of those that an engine makes for itself, and whose rules are known. */
export function isEngineChannel(channel: string): boolean {
  return isTrigger(channel) || channel.startsWith("join:");
}

/**
 * What such a channel holds: it is emptied as soon as its node has run, or something else has happened instead.
 *
 * @returns `undefined` where only a reducer can tell.
 * @throws WritesMissingError where it held what is not recorded.
 */
export function engineValue({ channel, step, updates }: LastStep, key: CheckpointKey): unknown {
  if (step === undefined || (channel === INPUT_CHANNEL && step.after.source === "input")) {
    throw new WritesMissingError("the input of a run is not recorded as a write", { ...key, channel });
  }
  if (channel === INPUT_CHANNEL) return EMPTY;
  const { isConsumed, after } = step;
  if (channel.startsWith("join:")) return isConsumed && updates.length === 0 ? [] : undefined;
  if (updates.length > 0) return updates.at(-1);
  return isConsumed || after.source !== "loop" ? EMPTY : undefined;
}
