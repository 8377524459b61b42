import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { ReadOptions } from "../../src/saver/boundary/parse-read.js";

/** The selected parts of a tuple. */
export function select(
  { pendingWrites, ...tuple }: CheckpointTuple,
  { values = true, channels, writes = values }: ReadOptions,
): CheckpointTuple {
  const channel_values = Object.fromEntries(
    Object.entries(tuple.checkpoint.channel_values).filter(
      ([channel]) => values && (channels === undefined || channels.includes(channel)),
    ),
  );
  const selected = { ...tuple, checkpoint: { ...tuple.checkpoint, channel_values } };
  return writes && pendingWrites !== undefined ? { ...selected, pendingWrites } : selected;
}
