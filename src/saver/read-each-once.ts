import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";

type ReadTuple = (config: RunnableConfig) => Promise<CheckpointTuple | undefined>;

/**
 * Wraps a read so that it reads no checkpoint twice. A walk from parent to parent then ends also where parents form a
 * cycle.
 */
export function readEachOnce(read: ReadTuple): ReadTuple {
  const seen = new Set<string>();
  return async (config) => {
    const tuple = await read(config);
    if (tuple === undefined || seen.has(tuple.checkpoint.id)) return undefined;
    seen.add(tuple.checkpoint.id);
    return tuple;
  };
}
