import type { CallContext } from "../db/call-context.js";
import { type NamespaceKey, rowKey } from "../saver/model/keys.js";
import { getDeltaChannels } from "../saver/queries/get-ancestry.js";

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
