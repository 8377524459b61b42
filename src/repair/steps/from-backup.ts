import type { ChannelValueContext } from "../../serde/serde-context.js";
import type { Problem } from "../../audit/audit-types.js";
import { restoreCheckpoints } from "../../backup/queries/restore-checkpoints.js";
import { runTransaction } from "../../db/statements/run-statement.js";
import { restoreBlobs } from "../../saver/queries/restore-blobs.js";
import type { RestoredBlob } from "../../saver/queries/restored-rows.js";
import { restoreWrites } from "../../saver/queries/restore-writes.js";
import type { BackupRows, RowChoice } from "../backup-rows.js";
import { deleteBlob, deleteCheckpoint, deleteWrites } from "../queries/change-rows.js";
import { checkpointOf, type RepairCall, type RepairTools, valueKeyOf } from "../repair-tools.js";

/**
 * Selects the rows of a backup that may mend one of these problems.
 *
 * @param problems - By thread.
 */
export function rowsFor(problems: ReadonlyMap<string, readonly Problem[]>): RowChoice {
  return (line) => problems.get(line.thread_id)?.some((problem) => concerns(problem, line)) === true;
}

function concerns(problem: Problem, line: Parameters<RowChoice>[0]): boolean {
  if (line.checkpoint_ns !== problem.checkpointNs) return false;
  // The ancestors of a checkpoint, with what belongs to them.
  if (problem.kind === "missing-parent") return true;
  switch (line.table) {
    case "checkpoints":
      return line.checkpoint_id === problem.checkpointId;
    case "checkpoint_blobs":
      // A splice is made of other versions of its channel. Which values a damaged header references is not known.
      return problem.kind === "corrupt-header" || line.channel === problem.channel;
    case "checkpoint_writes":
      return line.checkpoint_id === problem.checkpointId && line.task_id === problem.taskId;
  }
}

/** Replaces what is damaged by the rows of a backup, and adds what is missing. */
export async function restoreFromBackup(
  call: RepairCall,
  problem: Problem,
  { backup }: RepairTools,
): Promise<string | undefined> {
  if (backup === undefined) return undefined;
  const [checkpoint, value] = [checkpointOf(problem), valueKeyOf(problem)];
  switch (problem.kind) {
    case "missing-parent":
      return addAncestors(call, problem, backup);
    case "undecodable-write":
    case "corrupt-write": {
      const writes = backup.writes.filter(
        (row) =>
          isIn(row, problem) && row.checkpoint_id === problem.checkpointId && row.task_id === problem.taskId,
      );
      if (checkpoint === undefined || writes.length === 0) return undefined;
      // The task may have stored others since, and what is stored stays.
      const { taskId = null, idx = null } = problem;
      await deleteWrites(call, { ...checkpoint, taskId, idx });
      await store(call, { writes });
      return "takes the write from the backup, and those that its task lacks";
    }
    case "corrupt-header":
    case "parent-cycle":
      return replaceCheckpoint(call, problem, backup);
    case "missing-value":
      // The checkpoint may name a version that there never was.
      return (
        (value && (await replaceValue(call, value, backup))) ??
        (await replaceCheckpoint(call, problem, backup))
      );
    default:
      return value && replaceValue(call, value, backup);
  }
}

async function replaceCheckpoint(
  call: RepairCall,
  problem: Problem,
  { checkpoints }: BackupRows,
): Promise<string | undefined> {
  const key = checkpointOf(problem);
  const row = checkpoints.find((each) => isIn(each, problem) && each.checkpoint_id === problem.checkpointId);
  if (key === undefined || row === undefined) return undefined;
  await deleteCheckpoint(call, key);
  await store(call, { checkpoints: [row] });
  return "takes the checkpoint from the backup";
}

async function addAncestors(
  call: RepairCall,
  problem: Problem,
  { checkpoints, writes, blobs }: BackupRows,
): Promise<string | undefined> {
  const inNamespace = <Row extends { readonly checkpoint_ns: string }>(rows: readonly Row[]): Row[] =>
    rows.filter(({ checkpoint_ns }) => checkpoint_ns === problem.checkpointNs);
  const rows = {
    checkpoints: inNamespace(checkpoints),
    writes: inNamespace(writes),
    blobs: inNamespace(blobs),
  };
  if (rows.checkpoints.length === 0) return undefined;
  await store(call, rows);
  return "adds the ancestors from the backup";
}

/** Replaces a value, and all that the backup's splice is made of: one of these may be what was changed. */
async function replaceValue(
  call: RepairCall,
  key: ChannelValueContext,
  { blobs }: BackupRows,
): Promise<string | undefined> {
  const byVersion = new Map(
    blobs
      .filter((row) => row.checkpoint_ns === key.checkpointNs && row.channel === key.channel)
      .map((row) => [row.version, row]),
  );
  const chain = new Set<RestoredBlob>();
  for (let row = byVersion.get(key.version); row !== undefined && !chain.has(row);) {
    chain.add(row);
    row = byVersion.get(row.base ?? "");
  }
  if (chain.size === 0) return undefined;
  for (const { version } of chain) await deleteBlob(call, { ...key, version });
  await store(call, { blobs: [...chain] });
  return "takes the value from the backup";
}

function isIn(row: { readonly checkpoint_ns: string }, { checkpointNs }: Problem): boolean {
  return row.checkpoint_ns === checkpointNs;
}

async function store(
  call: RepairCall,
  { checkpoints = [], writes = [], blobs = [] }: Partial<Omit<BackupRows, "threadId">>,
): Promise<void> {
  const { schema } = call;
  await runTransaction<unknown>(call, {
    statements: [
      ...checkpoints.map((row) => restoreCheckpoints.insert(schema, [row])),
      ...writes.map((row) => restoreWrites.insert(schema, [row])),
      ...blobs.map((row) => restoreBlobs.insert(schema, [row])),
    ],
  });
}
