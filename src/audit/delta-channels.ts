import type { CallContext } from "../db/call-context.js";
import { type NamespaceKey, rowKey } from "../saver/model/keys.js";
import { getDeltaChannels } from "../saver/queries/get-ancestry.js";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { countedChannels } from "../saver/codec/parse-header.js";
import { isKnownEngineChannel } from "./rebuild/engine-channels.js";

/** Looks up the delta channels of namespaces. Caches those of the last namespace. */
export class DeltaChannels {
  readonly #call: CallContext;
  #last: { readonly namespace: string; readonly deltaChannels: ReadonlySet<string> } | undefined;

  constructor(call: CallContext) {
    this.#call = call;
  }

  /** Selects the delta channels among some channels of a namespace. */
  async among(
    { threadId, checkpointNs }: NamespaceKey,
    channels: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (channels.length === 0) return new Set();
    const namespace = rowKey(threadId, checkpointNs);
    if (this.#last?.namespace !== namespace) {
      const deltaChannels = await getDeltaChannels(this.#call, { threadId, checkpointNs });
      this.#last = { namespace, deltaChannels: new Set(deltaChannels) };
    }
    const { deltaChannels } = this.#last;
    return new Set(channels.filter((channel) => deltaChannels.has(channel)));
  }
}

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
      !isKnownEngineChannel(channel),
  );
  if (unstored.length === 0) return [];
  const counted = countedChannels({ metadata: metadata ?? {} });
  const known =
    metadata?.source === "loop" || counted.size > 0 ? counted : new Set(await getDeltaChannels(call, key));
  return unstored.filter((channel) => known.has(channel));
}
