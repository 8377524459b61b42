import type { ChannelValueContext } from "../../serde/serde-context.js";
import type { Problem } from "../../audit/audit-types.js";
import { DeltaChannels } from "../../audit/delta-channels.js";
import { deleteBlob, deleteCheckpoint, deleteWrites } from "../queries/change-rows.js";
import { checkpointsIn, checkpointsWith, isBase } from "../queries/stored-rows.js";
import { checkpointOf, namespaceOf, type RepairCall, valueKeyOf } from "../repair-tools.js";
import { groupBy } from "../../db/group-by.js";
import { rowKey } from "../../saver/model/keys.js";
import type { Repair } from "../repair-types.js";

/** Removes a damaged row that nothing needs. */
export async function drop(call: RepairCall, problem: Problem): Promise<string | undefined> {
  switch (problem.kind) {
    case "undecodable-value":
    case "broken-chain":
    case "corrupt-value":
      return dropValue(call, valueKeyOf(problem));
    case "undecodable-write":
    case "corrupt-write":
      return dropWrites(call, problem);
    case "corrupt-header":
      return dropNameless(call, problem);
    default:
      return undefined;
  }
}

async function dropValue(
  call: RepairCall,
  key: ChannelValueContext | undefined,
): Promise<string | undefined> {
  if (key === undefined || (await checkpointsWith(call, key)).length > 0 || (await isBase(call, key)))
    return undefined;
  await deleteBlob(call, key);
  return "removes the value, which nothing references";
}

/** Writes without a checkpoint belong to nothing. Those of a step that has ended are part of the next checkpoint. */
async function dropWrites(call: RepairCall, problem: Problem): Promise<string | undefined> {
  const key = checkpointOf(problem);
  if (key === undefined) return undefined;
  const checkpoints = await checkpointsIn(call, key);
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
  const others = await checkpointsIn(call, namespaceOf(problem));
  const isParent = others.some((row) => row.parent_checkpoint_id === "");
  if (others.length < 2 || isParent) return undefined;
  const key = { ...namespaceOf(problem), checkpointId: "" };
  await deleteWrites(call, { ...key, taskId: null, idx: null });
  await deleteCheckpoint(call, key);
  return "removes the checkpoint, which has no id";
}

/**
 * Removes damaged checkpoints, where the namespace has one that is healthy, which becomes the newest. A damaged write beside the newest one is
 * removed with the other writes of its task, which runs again.
 */
export async function rollBack(call: RepairCall, problems: readonly Problem[]): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (const ofNamespace of groupBy(problems, (problem) => rowKey(problem.checkpointNs)).values()) {
    const damaged = await damagedCheckpoints(call, ofNamespace);
    const [first] = ofNamespace;
    if (first === undefined) continue;
    const stored = await checkpointsIn(call, namespaceOf(first));
    const healthy = stored.find(({ checkpoint_id }) => !damaged.has(checkpoint_id));
    if (healthy === undefined) continue;
    for (const checkpointId of damaged) {
      const key = { ...namespaceOf(first), checkpointId };
      await deleteWrites(call, { ...key, taskId: null, idx: null });
      await deleteCheckpoint(call, key);
    }
    for (const problem of ofNamespace) {
      const description = await describe(call, problem, healthy.checkpoint_id);
      repairs.push({ problem, action: "roll-back", description });
    }
  }
  return repairs;
}

/** The checkpoints that can't be read completely. A damaged write is no part of its checkpoint. */
async function damagedCheckpoints(
  call: RepairCall,
  problems: readonly Problem[],
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const problem of problems) {
    if (isOfWrite(problem)) continue;
    const value = valueKeyOf(problem);
    if (problem.checkpointId !== undefined) ids.add(problem.checkpointId);
    for (const id of value === undefined ? [] : await checkpointsWith(call, value)) ids.add(id);
  }
  return ids;
}

async function describe(call: RepairCall, problem: Problem, healthy: string): Promise<string> {
  const [value, checkpoint] = [valueKeyOf(problem), checkpointOf(problem)];
  if (isOfWrite(problem) && checkpoint !== undefined) {
    await deleteWrites(call, { ...checkpoint, taskId: problem.taskId ?? null, idx: null });
    return "removes the writes of the task, which runs again";
  }
  if (value !== undefined && (await drop(call, problem)) === undefined) await deleteBlob(call, value);
  return `removes the damaged checkpoints: the namespace continues from "${healthy}"`;
}

function isOfWrite({ kind }: Problem): boolean {
  return kind === "undecodable-write" || kind === "corrupt-write";
}
