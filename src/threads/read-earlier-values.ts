import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointTuple, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import { isUnreadable } from "../errors/index.js";
import type { CallOptions } from "../parsing/parse-call-options.js";
import type { ReadOptions } from "../saver/boundary/parse-read.js";
import { unwrapSnapshot } from "../saver/codec/special-values.js";

/** A stored checkpoint. */
export interface ReadCheckpoint {
  readonly config: RunnableConfig;
  /** The channels that have a version in this checkpoint. */
  readonly channels: readonly string[];
}

/** The methods of a saver that read the values of channels. */
export interface ValueSource {
  getTuple(config: RunnableConfig, options?: ReadOptions): Promise<CheckpointTuple | undefined>;
  getDeltaChannelHistory(
    options: { config: RunnableConfig; channels: string[] } & CallOptions,
  ): Promise<Record<string, DeltaChannelHistory>>;
}

/**
 * Reads the values of channels in several checkpoints, by channel. For a delta channel, whose value is not stored, these are
 * its base value and its writes. Values that can't be read are left out.
 */
export async function readEarlierValues(
  saver: ValueSource,
  checkpoints: readonly ReadCheckpoint[],
  channels: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const values = new Map<string, unknown[]>(channels.map((channel) => [channel, []]));
  for (const checkpoint of checkpoints) {
    const requested = channels.filter((channel) => checkpoint.channels.includes(channel));
    if (requested.length === 0) continue;
    try {
      for await (const [channel, found] of valuesOf(saver, checkpoint.config, requested, signal))
        values.get(channel)?.push(...found);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
  }
  return values;
}

/** Yields the values of the channels of a checkpoint. */
async function* valuesOf(
  saver: ValueSource,
  config: RunnableConfig,
  channels: string[],
  signal: AbortSignal,
): AsyncGenerator<[channel: string, values: readonly unknown[]]> {
  const tuple = await saver.getTuple(config, { channels, writes: false, signal });
  const stored = tuple?.checkpoint.channel_values ?? {};
  for (const [channel, value] of Object.entries(stored)) yield [channel, [unwrapSnapshot(value)]];
  const unstored = channels.filter((channel) => !Object.hasOwn(stored, channel));
  if (unstored.length === 0) return;
  const histories = await saver.getDeltaChannelHistory({ config, channels: unstored, signal });
  for (const [channel, { seed, writes }] of Object.entries(histories)) {
    const written = writes.map(([, , value]) => (Array.isArray(value) ? value : [value]) as unknown[]);
    yield [channel, [...(seed === undefined ? [] : [unwrapSnapshot(seed)]), ...written]];
  }
}
