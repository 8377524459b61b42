import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { ReadRequest } from "./boundary/parse-selection.js";
import type { SaverCall } from "./call/saver-call.js";
import type { TupleKey } from "./queries/get-tuple-rows.js";
import { readTuple } from "./read-tuple.js";

/**
 * Reads a checkpoint as `PostgresSaver.getTuple` does. Where a run may continue from it, this waits until the clock has passed its time
 * (C17), and holds neither a connection nor a place in a group meanwhile.
 */
export async function getTuple(
  call: SaverCall,
  key: TupleKey,
  { selection, mayContinue }: ReadRequest,
  serde: ContextualSerializer,
): Promise<CheckpointTuple | undefined> {
  const tuple = await readTuple(call, key, selection, serde);
  if (tuple === undefined || !mayContinue) return tuple;
  const { threadId, checkpointNs } = key;
  const isNewest = key.checkpointId === undefined;
  await call.policy.clock?.waitFor(call, {
    threadId,
    checkpointNs,
    checkpointId: tuple.checkpoint.id,
    isNewest,
  });
  return tuple;
}
