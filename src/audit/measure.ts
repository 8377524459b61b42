import type { CallContext } from "../db/call-context.js";
import { measureStorage, type StorageRow, type StorageScope } from "./queries/measure-storage.js";
import type { ChannelStorage, StorageReport, StorageSize, TaskReport, TaskStats } from "./audit-types.js";
import { nodeOfPath } from "../saver/model/keys.js";
import {
  type AllTasksScope,
  measureAllTasks,
  type MeasuredTaskRow,
  measureTasks,
  type TaskScope,
  type TaskSizeRow,
} from "./queries/measure-tasks.js";

/** Measures the stored rows; see `storage` of the savers. */
export async function storage(call: CallContext, scope: StorageScope): Promise<StorageReport> {
  const rows = await measureStorage(call, scope);
  const total = rows.find(({ part }) => part === "total");
  return {
    total: { threads: total?.threads ?? 0, ...sizeOf(total) },
    // UNION ALL does not guarantee an order.
    threads: rows
      .filter(({ part }) => part === "thread")
      .sort(largestFirst)
      .map((row) => ({ threadId: row.name ?? "", ...sizeOf(row) })),
    channels: rows
      .filter(({ part }) => part === "channel")
      .sort(largestFirst)
      .map(channelOf),
  };
}

function sizeOf(row: StorageRow | undefined): StorageSize {
  return {
    checkpoints: row?.checkpoints ?? 0,
    headerBytes: row?.header_bytes ?? 0,
    blobs: row?.blobs ?? 0,
    blobBytes: row?.blob_bytes ?? 0,
    uncompressedBytes: row?.uncompressed_bytes ?? 0,
    splices: row?.splices ?? 0,
    wholeBytes: row?.whole_bytes ?? 0,
    writes: row?.writes ?? 0,
    writeBytes: row?.write_bytes ?? 0,
  };
}

function channelOf(row: StorageRow): ChannelStorage {
  const { checkpoints: _, headerBytes: __, ...size } = sizeOf(row);
  return { channel: row.name ?? "", ...size };
}

function largestFirst(a: StorageRow, b: StorageRow): number {
  return bytesOf(b) - bytesOf(a);
}

function bytesOf({ header_bytes, blob_bytes, write_bytes }: StorageRow): number {
  return header_bytes + blob_bytes + write_bytes;
}

/** Measures what the tasks of a thread wrote; see `taskStats` of the savers. */
export async function taskStats(call: CallContext, scope: TaskScope): Promise<TaskStats[]> {
  const rows = await measureTasks(call, scope);
  return rows.map((row) => statsOf(scope.threadId, row));
}

/** Measures what tasks wrote, by node and by task; see `taskStats` of the savers. */
export async function taskReport(call: CallContext, scope: AllTasksScope): Promise<TaskReport> {
  const rows = await measureAllTasks(call, scope);
  // UNION ALL does not guarantee an order.
  const largest = (part: MeasuredTaskRow["part"]): MeasuredTaskRow[] =>
    rows.filter((row) => row.part === part).sort((one, other) => other.bytes - one.bytes);
  return {
    nodes: largest("node").map(({ node, tasks, writes, bytes }) => ({
      ...(node !== null && { node }),
      ...{ tasks, writes, bytes, meanBytes: bytes / writes },
    })),
    tasks: largest("task").map((row) => statsOf(row.thread_id, row)),
  };
}

function statsOf(
  threadId: string,
  { checkpoint_ns, checkpoint_id, task_id, task_path, writes, bytes }: TaskSizeRow,
): TaskStats {
  const node = nodeOfPath(task_path);
  return {
    threadId,
    checkpointNs: checkpoint_ns,
    checkpointId: checkpoint_id,
    taskId: task_id,
    taskPath: task_path,
    ...(node !== undefined && { node }),
    ...{ writes, bytes, meanBytes: bytes / writes },
  };
}
