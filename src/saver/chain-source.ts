import type { CallContext } from "../db/call-context.js";
import type { ChannelValueContext } from "../serde/serde-context.js";
import { type ChainRows, chainRowsOf } from "./codec/stored-value.js";
import { groupBy } from "../db/group-by.js";
import { rowKey } from "./model/row-key.js";
import { type ChainRowOfPage, getChains } from "./queries/get-chains.js";
import { ReplacedValueError } from "./replaced-value.js";

/**
 * Creates a function that fetches the rows of a value which is a splice. The values that are asked for at the same time, such as
 * those of one checkpoint, share a statement.
 */
export function chainSource(call: CallContext): (place: ChannelValueContext) => Promise<ChainRows> {
  let waiting:
    | { readonly places: ChannelValueContext[]; readonly rows: Promise<ChainsByChannel> }
    | undefined;
  return async (place) => {
    waiting ??= gather(call, () => {
      waiting = undefined;
    });
    waiting.places.push(place);
    const { threadId, checkpointNs, channel, version } = place;
    const rows = (await waiting.rows).get(rowKey(threadId, checkpointNs, channel));
    const rowOf = chainRowsOf(rows ?? []);
    // Deleted since the read that found the splice.
    if (rowOf(version) === undefined) throw new ReplacedValueError(place);
    return rowOf;
  };
}

type ChainsByChannel = ReadonlyMap<string, readonly ChainRowOfPage[]>;

/** @param begin - Called when the statement is sent. Later places need another one. */
function gather(call: CallContext, begin: () => void) {
  const places: ChannelValueContext[] = [];
  const fetched = async (): Promise<ChainsByChannel> => {
    // The other values of the read are asked for in the same turn.
    await Promise.resolve();
    begin();
    const rows = await getChains(call, places);
    return groupBy(rows, (row) => rowKey(row.thread_id, row.checkpoint_ns, row.channel));
  };
  return { places, rows: fetched() };
}
