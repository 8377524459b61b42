import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointTuple, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import type { CallOptions } from "../parsing/parse-call-options.js";
import type { ReadOptions } from "../saver/boundary/parse-selection.js";
import { unwrapSnapshot } from "../saver/codec/unwrap-snapshot.js";

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
 * its base value and its writes.
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
    const { config } = checkpoint;
    const tuple = await saver.getTuple(config, { channels: requested, writes: false, signal });
    const stored = tuple?.checkpoint.channel_values ?? {};
    const unstored = requested.filter((channel) => !Object.hasOwn(stored, channel));
    for (const [channel, value] of Object.entries(stored)) values.get(channel)?.push(unwrapSnapshot(value));
    if (unstored.length === 0) continue;
    const histories = await saver.getDeltaChannelHistory({ config, channels: unstored, signal });
    for (const [channel, { seed, writes }] of Object.entries(histories)) {
      const written = writes.map(([, , value]) => (Array.isArray(value) ? value : [value]) as unknown[]);
      values.get(channel)?.push(...(seed === undefined ? [] : [unwrapSnapshot(seed)]), ...written);
    }
  }
  return values;
}
