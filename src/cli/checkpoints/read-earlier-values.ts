import { isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../../postgres-saver.js";
import type { FoundCheckpoint } from "./resolve-checkpoint.js";

/**
 * What channels hold in any of these checkpoints, by the channel. Of a delta channel, whose value is not stored, these are the
 * writes that it is made of.
 */
export async function knownValues(
  saver: PostgresSaver,
  checkpoints: readonly FoundCheckpoint[],
  channels: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const known = new Map<string, unknown[]>(channels.map((channel) => [channel, []]));
  for (const { config, channels: versioned } of checkpoints) {
    const asked = channels.filter((channel) => versioned.includes(channel));
    if (asked.length === 0) continue;
    const tuple = await saver.getTuple(config, { channels: asked, writes: false, signal });
    const stored = tuple?.checkpoint.channel_values ?? {};
    const rebuilt = asked.filter((channel) => !Object.hasOwn(stored, channel));
    for (const [channel, value] of Object.entries(stored)) known.get(channel)?.push(plainValue(value));
    if (rebuilt.length === 0) continue;
    const histories = await saver.getDeltaChannelHistory({ config, channels: rebuilt, signal });
    for (const [channel, { seed, writes }] of Object.entries(histories)) {
      const values = writes.map(([, , value]) => (Array.isArray(value) ? value : [value]) as unknown[]);
      known.get(channel)?.push(...(seed === undefined ? [] : [plainValue(seed)]), ...values);
    }
  }
  return known;
}

function plainValue(value: unknown): unknown {
  return isDeltaSnapshot(value) ? value.value : value;
}
