import type { RecordedWriteRow } from "../../audit/queries/recorded-writes.js";
import { decodeWrite } from "../../audit/writes-of.js";
import { DeserializationError } from "../../errors/index.js";
import { valueReader } from "../../saver/read-long-values.js";
import { groupBy } from "../../db/group-by.js";
import { rowKey } from "../../saver/model/keys.js";
import type { TaskView, WriteView } from "../api/checkpoints.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { getTaskWrites } from "../queries/get-task-writes.js";
import { describeValue } from "../values/describe-value.js";
import type { TextRoom } from "../values/text-room.js";
import { MAX_PREVIEW_BYTES } from "./preview-channels.js";

const MAX_WRITES = 1_000;
/** How both engines name the task of a node. */
const PULL = /^~__pregel_pull, (?<node>.+)$/s;

/** The tasks beside a checkpoint. */
export interface ViewedTasks {
  readonly tasks: readonly TaskView[];
  /** Whether there are more writes. */
  readonly hasMore: boolean;
}

/** Describes the writes beside a checkpoint by task. It reads small values only. */
export async function viewTasks(run: CallRun, place: CheckpointPlace, room: TextRoom): Promise<ViewedTasks> {
  const rows = await getTaskWrites(run.call, place, {
    ...{ maxWrites: MAX_WRITES + 1, maxBytes: MAX_PREVIEW_BYTES },
  });
  const shown = rows.slice(0, MAX_WRITES);
  const views = await Promise.all(shown.map((row) => viewWrite(run, place, row, room)));
  const entries = shown.map((row, index) => ({ row, view: views[index] }));
  const tasks = [...groupBy(entries, ({ row }) => rowKey(row.task_path, row.task_id)).values()];
  return {
    tasks: tasks.flatMap((writes) => {
      const [first] = writes;
      return first === undefined
        ? []
        : [
            viewTask(
              first.row,
              writes.flatMap(({ view }) => view ?? []),
            ),
          ];
    }),
    hasMore: rows.length > MAX_WRITES,
  };
}

function viewTask(
  { task_id: taskId, task_path: taskPath }: RecordedWriteRow,
  writes: readonly WriteView[],
): TaskView {
  const node = PULL.exec(taskPath)?.groups?.node;
  return { taskId, taskPath, ...(node !== undefined && { node }), writes };
}

async function viewWrite(
  { context, call }: CallRun,
  { threadId, namespace }: CheckpointPlace,
  row: RecordedWriteRow,
  room: TextRoom,
): Promise<WriteView> {
  const { idx, channel, bytes } = row;
  if (bytes > MAX_PREVIEW_BYTES) return { idx, channel, bytes };
  try {
    const reader = valueReader(call, context.saver.serde);
    const value = await decodeWrite(row, { threadId, checkpointNs: namespace }, reader);
    return { idx, channel, bytes, preview: room.cutNode(describeValue(value)) };
  } catch (error) {
    // A value that this saver can't read must not hide the others.
    if (error instanceof DeserializationError) return { idx, channel, bytes };
    throw error;
  }
}
