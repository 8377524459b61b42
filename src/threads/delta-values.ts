import { DeltaSnapshot, isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../db/call-context.js";
import { InvalidConfigError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { ForkRequest } from "./boundary/parse-fork.js";
import type { ChannelReducer, ChannelReducers } from "../saver/model/channel-reducers.js";
import { countedChannels } from "../saver/codec/counted-channels.js";
import { deltaChannelHistory } from "../saver/delta-channel-history.js";
import { foldWrites } from "./fold-writes.js";
import { getDeltaChannels } from "../saver/queries/get-ancestry.js";
import type { ForkTarget } from "./fork-target.js";

/**
 * The values that a fork must store of delta channels. Such a channel is rebuilt from what the ancestors of a checkpoint
 * wrote: for a fork these are the target's own writes too, which are of the branch that its tasks began. So its value at
 * the target is rebuilt, and stored whole. Where the target has none of such writes, that is done if a reducer is there.
 *
 * @throws InvalidConfigError for a channel that has neither a reducer nor a value of its own in the request.
 */
export async function deltaValues(
  call: CallContext,
  target: ForkTarget,
  { values, reducers }: Pick<ForkRequest, "values" | "reducers">,
  serde: ContextualSerializer,
): Promise<Record<string, DeltaSnapshot>> {
  const unstored = [...new Set([...target.written, ...Object.keys(reducers)])].filter(
    (channel) => !Object.hasOwn(values, channel) && !hasValue(target, channel),
  );
  const channels = await deltaChannelsAmong(call, target, unstored, serde);
  const reduced = channels.map((channel) => [channel, reducerOf(channel, reducers, target)] as const);
  const histories = await deltaChannelHistory(call, target.key, channels, serde);
  const rebuilt = reduced.map(([channel, reducer]) => {
    const value = foldWrites(histories[channel], reducer);
    if (value === undefined) throw holdsNothing(channel, target);
    return [channel, new DeltaSnapshot(value)] as const;
  });
  return Object.fromEntries(rebuilt);
}

/** Whether the target itself has a value of the channel. */
function hasValue({ header, stored }: ForkTarget, channel: string): boolean {
  return stored.has(channel) || Object.hasOwn(header.channel_values ?? {}, channel);
}

/**
 * Those of the channels that are delta channels. A step counts all that it has not stored whole. An update of the state
 * counts none: so what other checkpoints count decides, and whether the channel was stored whole before.
 */
async function deltaChannelsAmong(
  call: CallContext,
  target: ForkTarget,
  channels: readonly string[],
  serde: ContextualSerializer,
): Promise<string[]> {
  const counted = countedChannels(target);
  const isStep = target.metadata.source === "loop";
  if (channels.length === 0 || isStep || counted.size > 0)
    return channels.filter((channel) => counted.has(channel));
  const known = new Set(await getDeltaChannels(call, target.key));
  const doubtful = channels.filter((channel) => !known.has(channel));
  const histories = await deltaChannelHistory(call, target.key, doubtful, serde);
  return channels.filter((channel) => known.has(channel) || isDeltaSnapshot(histories[channel]?.seed));
}

function reducerOf(channel: string, reducers: ChannelReducers, { key }: ForkTarget): ChannelReducer {
  const reducer = Object.hasOwn(reducers, channel) ? reducers[channel] : undefined;
  if (reducer !== undefined) return reducer;
  throw new InvalidConfigError(
    `options.reducers.${channel}`,
    `is missing: "${channel}" is a delta channel, and the target has writes to it that are not the fork's; hand over ` +
      "its reducer, so that its value can be rebuilt, or fork with a value for it",
    { ...key, channel },
  );
}

function holdsNothing(channel: string, { key }: ForkTarget): InvalidConfigError {
  return new InvalidConfigError(
    `options.values.${channel}`,
    `is missing: "${channel}" is a delta channel that holds nothing yet at the target; fork with the value that it ` +
      "begins with",
    { ...key, channel },
  );
}
