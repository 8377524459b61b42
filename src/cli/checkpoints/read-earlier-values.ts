import { isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../../postgres-saver.js";
import type { ResolvedCheckpoint } from "./resolve-checkpoint.js";

/**
 * Reads the values of channels in several checkpoints, by channel. For a delta channel, whose value is not stored, these are
 * its base value and its writes.
 */
export async function readEarlierValues(
  saver: PostgresSaver,
  checkpoints: readonly ResolvedCheckpoint[],
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
    for (const [channel, value] of Object.entries(stored)) values.get(channel)?.push(plainValue(value));
    if (unstored.length === 0) continue;
    const histories = await saver.getDeltaChannelHistory({ config, channels: unstored, signal });
    for (const [channel, { seed, writes }] of Object.entries(histories)) {
      const written = writes.map(([, , value]) => (Array.isArray(value) ? value : [value]) as unknown[]);
      values.get(channel)?.push(...(seed === undefined ? [] : [plainValue(seed)]), ...written);
    }
  }
  return values;
}

function plainValue(value: unknown): unknown {
  return isDeltaSnapshot(value) ? value.value : value;
}
