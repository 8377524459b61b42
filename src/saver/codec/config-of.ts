import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { CheckpointKey } from "../model/checkpoint-key.js";

/** The config that names a checkpoint, as LangGraph hands it on: exactly these keys. */
export function configOf({
  threadId,
  checkpointNs,
  checkpointId,
}: CheckpointKey): Required<Pick<CheckpointTuple["config"], "configurable">> {
  return { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId } };
}
