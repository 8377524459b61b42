import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointPlace } from "../api/places.js";

/** The config of a checkpoint. */
export function configOf({ threadId, namespace, checkpointId }: CheckpointPlace): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId } };
}
