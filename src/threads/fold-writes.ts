import type { DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import { overwriteValue, unwrapSnapshot } from "../saver/codec/special-values.js";
import type { ChannelReducer } from "../saver/model/channel-reducers.js";

/**
 * Computes the value of a delta channel from its history, as LangGraph does, but passes the reducer one write at a time.
 *
 * @returns `undefined` when the channel has no value.
 */
export function foldWrites(history: DeltaChannelHistory | undefined, reducer: ChannelReducer): unknown {
  let value = unwrapSnapshot(history?.seed);
  for (const [, , write] of history?.writes ?? []) {
    const overwrite = overwriteValue(write);
    value = overwrite === undefined ? reducer(value, write) : (overwrite.value ?? undefined);
  }
  return value;
}
