import { type DeltaChannelHistory, isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import type { ChannelReducer } from "../saver/model/channel-reducers.js";

/** What LangGraph calls a write that replaces all before it. */
const OVERWRITE = "__overwrite__";

/**
 * The value of a channel after its history, as LangGraph's delta channels work it out; but that the reducer is given one
 * write at a time.
 *
 * @returns `undefined` where the channel holds nothing.
 */
export function foldWrites(history: DeltaChannelHistory | undefined, reducer: ChannelReducer): unknown {
  let value: unknown = history?.seed;
  if (isDeltaSnapshot(value)) value = value.value;
  for (const [, , write] of history?.writes ?? []) {
    const overwrite = overwriteOf(write);
    value = overwrite === undefined ? reducer(value, write) : (overwrite.value ?? undefined);
  }
  return value;
}

function overwriteOf(write: unknown): { readonly value: unknown } | undefined {
  if (typeof write !== "object" || write === null) return undefined;
  if (OVERWRITE in write) return { value: write[OVERWRITE] };
  return "type" in write && write.type === OVERWRITE && "value" in write ? { value: write.value } : undefined;
}
