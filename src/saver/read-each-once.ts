import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";

type ReadTuple = (config: RunnableConfig) => Promise<CheckpointTuple | undefined>;

/** Reads no checkpoint a second time, so that a walk from parent to parent ends where these go in a circle. */
export function readEachOnce(read: ReadTuple): ReadTuple {
  const seen = new Set<string>();
  return async (config) => {
    const tuple = await read(config);
    if (tuple === undefined || seen.has(tuple.checkpoint.id)) return undefined;
    seen.add(tuple.checkpoint.id);
    return tuple;
  };
}
