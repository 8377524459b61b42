import { isDeltaSnapshot } from "@langchain/langgraph-checkpoint";

/** Returns the value of a channel without what the engine puts around the values of its delta channels. */
export function unwrapSnapshot(value: unknown): unknown {
  return isDeltaSnapshot(value) ? value.value : value;
}
