import type { Problem } from "../../audit/audit-types.js";
import { groupBy } from "../../db/group-by.js";
import { rowKey } from "../../saver/model/keys.js";
import { deleteBlob, deleteCheckpoint, deleteWrites } from "../queries/change-rows.js";
import { checkpointsOf, checkpointsWith } from "../queries/references.js";
import type { Repair } from "../repair-types.js";
import { checkpointOf, namespaceOf, type RepairCall, valueOf } from "../repair-tools.js";
import { drop } from "./drop.js";

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
    const stored = await checkpointsOf(call, namespaceOf(first));
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
    const value = valueOf(problem);
    if (problem.checkpointId !== undefined) ids.add(problem.checkpointId);
    for (const id of value === undefined ? [] : await checkpointsWith(call, value)) ids.add(id);
  }
  return ids;
}

async function describe(call: RepairCall, problem: Problem, healthy: string): Promise<string> {
  const [value, checkpoint] = [valueOf(problem), checkpointOf(problem)];
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
