import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { CheckpointKey } from "../model/checkpoint-key.js";

/** Returns the config that names a checkpoint, with exactly the keys that LangGraph passes on. */
export function configOf({
  threadId,
  checkpointNs,
  checkpointId,
}: CheckpointKey): Required<Pick<CheckpointTuple["config"], "configurable">> {
  return { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId } };
}
