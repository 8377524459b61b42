import type { ChannelValueContext } from "../../serde/serde-context.js";
import type { EntryPlace } from "../model/entry.js";

/** No channel of a graph has this name. */
const CHANNEL = "__cache_entry__";

/**
 * The place of an entry as serializers know it, to which encryption binds the value. Serializers know only places of checkpoints, so an
 * entry is a channel of a thread that does not exist.
 *
 * @param scope - What precedes the namespaces of the cache: with tenants it begins as the ids of their threads.
 */
export function contextOf(scope: string, { namespace, key }: EntryPlace): ChannelValueContext {
  return { threadId: scope, checkpointNs: namespace, channel: CHANNEL, version: key };
}
