import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../db/call-context.js";
import type { NamespaceKey } from "../saver/model/keys.js";
import { countedChannels } from "../saver/codec/parse-header.js";
import { getDeltaChannels } from "../saver/queries/get-ancestry.js";
import { isEngineChannel } from "./rebuild/engine-channels.js";

/**
 * Selects the delta channels of a checkpoint whose values are not stored, since the graph rebuilds them from writes. The
 * metadata of a super-step counts the changes of each. A state update counts none; then the counts of other checkpoints
 * decide.
 *
 * @param tuple - The checkpoint with the values of these channels.
 */
export async function unstoredDeltas(
  call: CallContext,
  key: NamespaceKey,
  { checkpoint, metadata }: CheckpointTuple,
  channels: readonly string[] = Object.keys(checkpoint.channel_versions),
): Promise<string[]> {
  const unstored = channels.filter(
    (channel) =>
      Object.hasOwn(checkpoint.channel_versions, channel) &&
      !Object.hasOwn(checkpoint.channel_values, channel) &&
      !isEngineChannel(channel),
  );
  if (unstored.length === 0) return [];
  const counted = countedChannels({ metadata: metadata ?? {} });
  const known =
    metadata?.source === "loop" || counted.size > 0 ? counted : new Set(await getDeltaChannels(call, key));
  return unstored.filter((channel) => known.has(channel));
}
