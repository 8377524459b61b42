import { WritesMissingError } from "../../errors/index.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import { INPUT_CHANNEL, isTrigger } from "../../saver/codec/special-values.js";
import type { ChannelStep } from "./channel-path.js";

/** The value of an empty channel. */
export const EMPTY = Symbol("empty");

/** The last step that changed a channel. */
interface LastStep {
  readonly channel: string;
  /** `undefined` if the channel has not changed since the thread began. */
  readonly step: ChannelStep | undefined;
  /** The writes to the channel in that step. */
  readonly updates: readonly unknown[];
}

/** Whether a channel is one that LangGraph's engine creates, and whose rules are known. */
export function isKnownEngineChannel(channel: string): boolean {
  return isTrigger(channel) || channel.startsWith("join:");
}

/**
 * Computes the value of an engine's channel. The engine empties it after its node has run, and when another step happens instead.
 *
 * @returns `undefined` when the value depends on a reducer.
 * @throws WritesMissingError when the value was not recorded as a write.
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
