import type { RunnableConfig } from "@langchain/core/runnables";
import type { CommandContext } from "../command-definition.js";
import { counted } from "../output/format-numbers.js";

/** The rows from which the graph rebuilds the value of a delta channel. */
export interface UnstoredValue {
  readonly channel: string;
  /** The number of writes since the last stored value, or since the thread started. */
  readonly writes: number;
  /** Whether there is a stored value before those writes. */
  readonly hasBase: boolean;
}

/** Counts the writes of delta channels. Their values can't be computed here: only the graph has the reducers. */
export async function getUnstoredValues(
  { saver, signal }: Pick<CommandContext, "saver" | "signal">,
  config: RunnableConfig,
  channels: readonly string[],
): Promise<UnstoredValue[]> {
  if (channels.length === 0) return [];
  const histories = await saver.getDeltaChannelHistory({ config, channels: [...channels], signal });
  return channels.map((channel) => {
    const { writes = [], seed } = histories[channel] ?? {};
    return { channel, writes: writes.length, hasBase: seed !== undefined };
  });
}

/** Describes an unstored value for people: `an earlier value and 2 writes`. */
export function describeUnstored({ writes, hasBase }: UnstoredValue): string {
  return hasBase
    ? `an earlier value and ${counted(writes, "write")}`
    : `${counted(writes, "write")} since the thread started`;
}
