import type { CallContext } from "../db/call-context.js";
import type { NamespaceKey } from "../saver/model/checkpoint-key.js";
import { rowKey } from "../saver/model/row-key.js";
import { getDeltaChannels } from "../saver/queries/get-ancestry.js";

/** Looks up the delta channels of namespaces. Caches those of the last namespace. */
export class DeltaChannels {
  readonly #call: CallContext;
  #last: { readonly namespace: string; readonly channels: ReadonlySet<string> } | undefined;

  constructor(call: CallContext) {
    this.#call = call;
  }

  /** @returns Whether a channel of the namespace is a delta channel. */
  async of({ threadId, checkpointNs }: NamespaceKey): Promise<(channel: string) => boolean> {
    const namespace = rowKey(threadId, checkpointNs);
    if (this.#last?.namespace !== namespace) {
      const channels = await getDeltaChannels(this.#call, { threadId, checkpointNs });
      this.#last = { namespace, channels: new Set(channels) };
    }
    const { channels } = this.#last;
    return (channel) => channels.has(channel);
  }
}
