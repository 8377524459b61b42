import { DeltaSnapshot, isDeltaSnapshot, type DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../db/call-context.js";
import { InvalidConfigError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { ForkRequest } from "./boundary/parse-fork.js";
import type { ChannelReducer, ChannelReducers } from "../saver/model/channel-reducers.js";
import { countedChannels } from "../saver/codec/parse-header.js";
import { deltaChannelHistory } from "../saver/delta-channel-history.js";
import { getDeltaChannels } from "../saver/queries/get-ancestry.js";
import type { ForkTarget } from "./fork-target.js";
import { overwriteValue, unwrapSnapshot } from "../saver/codec/special-values.js";

/**
 * Rebuilds the values of delta channels that a fork must store whole. LangGraph rebuilds a delta channel from the writes beside
 * a checkpoint's ancestors. For a fork these include the writes of the target's own tasks, which belong to another branch. So
 * the fork stores the channel's value at the target, if the target has such writes or if the caller passes a reducer.
 *
 * @throws InvalidConfigError for a channel that has neither a reducer nor a value in the request.
 */
export async function rebuildDeltaValues(
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
    if (value === undefined) throw emptyChannelError(channel, target);
    return [channel, new DeltaSnapshot(value)] as const;
  });
  return Object.fromEntries(rebuilt);
}

/** Whether the target stores a value of the channel. */
function hasValue({ header, stored }: ForkTarget, channel: string): boolean {
  return stored.has(channel) || Object.hasOwn(header.channel_values ?? {}, channel);
}

/**
 * Selects the delta channels among these channels. The metadata of a super-step counts the changes of each delta channel that
 * it has not stored whole. A state update counts none: there the counts of other checkpoints decide, and earlier snapshots.
 */
async function deltaChannelsAmong(
  call: CallContext,
  target: ForkTarget,
  channels: readonly string[],
  serde: ContextualSerializer,
): Promise<string[]> {
  if (channels.length === 0 || target.metadata.source === "loop") {
    const counted = countedChannels(target);
    return channels.filter((channel) => counted.has(channel));
  }
  const known = new Set(await getDeltaChannels(call, target.key));
  const unknown = channels.filter((channel) => !known.has(channel));
  const histories = await deltaChannelHistory(call, target.key, unknown, serde);
  return channels.filter((channel) => known.has(channel) || isDeltaSnapshot(histories[channel]?.seed));
}

function reducerOf(channel: string, reducers: ChannelReducers, { key }: ForkTarget): ChannelReducer {
  const reducer = Object.hasOwn(reducers, channel) ? reducers[channel] : undefined;
  if (reducer !== undefined) return reducer;
  throw new InvalidConfigError(
    `options.reducers.${channel}`,
    `is missing: "${channel}" is a delta channel, and tasks of the target have written to it on another branch; pass ` +
      "its reducer, so that the fork can rebuild its value, or pass a value for it",
    { ...key, channel },
  );
}

function emptyChannelError(channel: string, { key }: ForkTarget): InvalidConfigError {
  return new InvalidConfigError(
    `options.values.${channel}`,
    `is missing: "${channel}" is a delta channel without a value at the target; pass its initial value`,
    { ...key, channel },
  );
}

/**
 * Computes the value of a delta channel from its history, as LangGraph does, but passes the reducer one write at a time.
 *
 * @returns `undefined` when the channel has no value.
 */
export function foldWrites(history: DeltaChannelHistory | undefined, reducer: ChannelReducer): unknown {
  let value = unwrapSnapshot(history?.seed);
  for (const [, , write] of history?.writes ?? []) {
    const overwrite = overwriteValue(write);
    value = overwrite === undefined ? reducer(value, write) : (overwrite.value ?? undefined);
  }
  return value;
}
