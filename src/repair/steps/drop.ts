import type { Problem } from "../../audit/audit-types.js";
import { DeltaChannels } from "../../audit/delta-channels.js";
import { deleteBlob, deleteCheckpoint, deleteWrites } from "../queries/change-rows.js";
import { checkpointsOf, checkpointsWith, isBase, type ValueKey } from "../queries/references.js";
import { checkpointOf, namespaceOf, type RepairCall, valueOf } from "../repair-tools.js";

/** Removes a damaged row that nothing needs. */
export async function drop(call: RepairCall, problem: Problem): Promise<string | undefined> {
  switch (problem.kind) {
    case "undecodable-value":
    case "broken-chain":
    case "corrupt-value":
      return dropValue(call, valueOf(problem));
    case "undecodable-write":
    case "corrupt-write":
      return dropWrites(call, problem);
    case "corrupt-header":
      return dropNameless(call, problem);
    default:
      return undefined;
  }
}

async function dropValue(call: RepairCall, key: ValueKey | undefined): Promise<string | undefined> {
  if (key === undefined || (await checkpointsWith(call, key)).length > 0 || (await isBase(call, key)))
    return undefined;
  await deleteBlob(call, key);
  return "removes the value, which nothing references";
}

/** Writes without a checkpoint belong to nothing. Those of a step that has ended are part of the next checkpoint. */
async function dropWrites(call: RepairCall, problem: Problem): Promise<string | undefined> {
  const key = checkpointOf(problem);
  if (key === undefined) return undefined;
  const checkpoints = await checkpointsOf(call, key);
  const isStored = checkpoints.some(({ checkpoint_id }) => checkpoint_id === key.checkpointId);
  const hasEnded = checkpoints.some((row) => row.parent_checkpoint_id === key.checkpointId);
  if (isStored && !hasEnded) return undefined;
  const { channel = null, taskId = null, idx = null } = problem;
  // The value of a delta channel is made of the writes of all steps.
  const deltas = await new DeltaChannels(call).among(key, channel === null ? [] : [channel]);
  if (isStored && (channel === null || deltas.size > 0)) return undefined;
  await deleteWrites(call, { ...key, taskId, idx });
  return isStored ? "removes the write, whose step has ended" : "removes the write, which has no checkpoint";
}

/** A checkpoint without an id can't be read by anybody. */
async function dropNameless(call: RepairCall, problem: Problem): Promise<string | undefined> {
  if (problem.checkpointId !== "") return undefined;
  const others = await checkpointsOf(call, namespaceOf(problem));
  const isParent = others.some((row) => row.parent_checkpoint_id === "");
  if (others.length < 2 || isParent) return undefined;
  const key = { ...namespaceOf(problem), checkpointId: "" };
  await deleteWrites(call, { ...key, taskId: null, idx: null });
  await deleteCheckpoint(call, key);
  return "removes the checkpoint, which has no id";
}
