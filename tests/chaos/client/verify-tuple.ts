import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { ThreadHistory } from "../checker/history.js";
import { compareTuple, missingWrites } from "../checker/compare-tuple.js";

/** Describes the errors in a read of the newest checkpoint of a thread. */
export function verifyNewest(known: ThreadHistory, tuple: CheckpointTuple | undefined): string[] {
  const { newest } = known;
  if (tuple === undefined) return newest === undefined ? [] : [`read nothing, not ${newest}`];
  const id = tuple.checkpoint.id;
  const isOlder = newest !== undefined && id < newest;
  return [...(isOlder ? [`read ${id}, which is older than ${newest}`] : []), ...verifyTuple(known, tuple)];
}

/** Describes the errors in a checkpoint that was read: unknown, incomplete, mixed, or without its writes. */
export function verifyTuple(known: ThreadHistory, tuple: CheckpointTuple): string[] {
  const tracked = known.checkpoints.get(tuple.checkpoint.id);
  if (tracked === undefined) return [`read ${tuple.checkpoint.id}, which was never put`];
  if (tracked.certainty === "absent") return [`read ${tuple.checkpoint.id}, which was deleted`];
  const writes = known.writesOf(tuple.checkpoint.id);
  return [...compareTuple(tracked.item, writes, tuple), ...missingWrites(writes, tuple)];
}
