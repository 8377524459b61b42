import type { RunnableConfig } from "@langchain/core/runnables";
import type { CommandContext } from "../command-definition.js";
import { counted } from "../output/format-numbers.js";

/** What is stored of a delta channel instead of its value. */
export interface UnstoredValue {
  readonly channel: string;
  /** The writes since the last stored value, or since the thread began. */
  readonly writes: number;
  /** Whether there is a stored value that they build upon. */
  readonly hasBase: boolean;
}

/** Counts what the values of delta channels are rebuilt from. Only their graph has the reducers to do so. */
export async function unstoredValues(
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

/** Says in words what is stored: `2 writes upon an earlier value`. */
export function describeUnstored({ writes, hasBase }: UnstoredValue): string {
  return `${counted(writes, "write")} ${hasBase ? "upon an earlier value" : "since the thread began"}`;
}
