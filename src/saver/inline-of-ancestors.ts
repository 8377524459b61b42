import { loadOnce } from "../db/async/load-once.js";
import type { CallContext } from "../db/call-context.js";
import type { InlineOfAncestors } from "./codec/decode-tuple.js";
import { rowKey } from "./model/row-key.js";

// Few threads lack values.
const loadQuery = /* @__PURE__ */ loadOnce(() => import("./queries/get-inline-of-ancestors.js"));

/**
 * Finds inline values that checkpoints lack in the headers of their ancestors. It asks once for a version that is text, which many
 * successive checkpoints share. Versions that are numbers may be equal in two branches.
 */
export function inlineOfAncestors(call: CallContext): InlineOfAncestors {
  const known = new Map<string, string | undefined>();
  return async (key, versions) => {
    const idOf = (channel: string): string =>
      rowKey(key.threadId, key.checkpointNs, channel, String(versions.get(channel)));
    const asked = [...versions.keys()].filter((channel) => !known.has(idOf(channel)));
    const found = new Map<string, string>();
    if (asked.length > 0) {
      const { getInlineOfAncestors } = await loadQuery();
      for (const [channel, json] of await getInlineOfAncestors(call, key, asked)) found.set(channel, json);
    }
    for (const [channel, version] of versions) {
      const json = found.get(channel) ?? known.get(idOf(channel));
      if (json !== undefined) found.set(channel, json);
      if (typeof version === "string") known.set(idOf(channel), json);
    }
    return found;
  };
}
