import { readableWrite } from "../stored-values/readable-values.js";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { CheckpointView, TaskView, WriteView } from "../api/checkpoints.js";
import type { CheckpointPlace } from "../api/places.js";
import type { ValueNode } from "../api/value-node.js";
import type { CallRun } from "../calls/call-definition.js";
import { type ViewedChannelRow, getChannelRows } from "../queries/channel-rows.js";
import { getPoints } from "../queries/get-history-points.js";
import { getSurroundings } from "../queries/surroundings.js";
import { pointOf } from "../states/point-of.js";
import { readStates } from "../states/read-states.js";
import { configOfPlace, checkpointNotFound } from "../stored-values/read-stored-value.js";
import { valueNodeOf } from "../values/describe-value.js";
import { TextRoom } from "../values/cut-text.js";
import { viewChannels, MAX_PREVIEW_BYTES } from "./view-channels.js";
import type { RecordedWriteRow } from "../../audit/queries/recorded-writes.js";
import { groupBy } from "../../db/group-by.js";
import { rowKey } from "../../saver/model/keys.js";
import { getTaskWrites } from "../queries/value-rows.js";

const MAX_CHILDREN = 200;
/** More is not read. Old versions of LangGraph copied what a step wrote into the metadata. */
const MAX_HEADER_BYTES = 262_144;

/** Describes a checkpoint without its large values. */
export async function viewCheckpoint(run: CallRun, place: CheckpointPlace): Promise<CheckpointView> {
  const [around, [row], rows] = await Promise.all([
    getSurroundings(run.call, place, MAX_CHILDREN),
    getPoints(run.call, [place]),
    getChannelRows(run.call, place),
  ]);
  if (around === undefined || row === undefined) throw checkpointNotFound(place);
  const { writes: _writes, interrupted: _interrupted, failed: _failed, ...point } = pointOf(row);
  const room = new TextRoom();
  const header = await readHeader(run, place, around.metadata_bytes, rows);
  const [{ tasks, hasMore }, { channels, conversations }, [state]] = await Promise.all([
    viewTasks(run, place, room),
    viewChannels(run, place, { rows, header }, room),
    readStates(run, [place], { isOlder: around.newest !== place.checkpointId }),
  ]);
  const metadata = header === undefined ? UNREAD : valueNodeOf(header.metadata);
  const { status = "done", next = [] } = state ?? {};
  return {
    ...place,
    ...point,
    ...{ status, next, channels, tasks, metadata, conversations },
    ...(hasMore && { hasMoreWrites: hasMore }),
    children: names.parse(JSON.parse(around.children ?? "[]")),
  };
}

const names = z.array(z.string());

/** Metadata that is too long to be read before somebody opens it. */
const UNREAD: ValueNode = { type: "object", text: "{…}", size: 0, isCut: true };

/** Reads a checkpoint without its values, unless its header holds much. */
async function readHeader(
  { context, signal }: CallRun,
  place: CheckpointPlace,
  metadataBytes: number,
  rows: readonly ViewedChannelRow[],
): Promise<CheckpointTuple | undefined> {
  const bytes = rows.reduce((sum, { inline_bytes }) => sum + (inline_bytes ?? 0), metadataBytes);
  if (bytes > MAX_HEADER_BYTES) return undefined;
  return context.saver.getTuple(configOfPlace(place), { values: false, signal });
}

const MAX_WRITES = 1_000;
/** How both engines name the task of a node. */
const PULL = /^~__pregel_pull, (?<node>.+)$/s;

/** The tasks beside a checkpoint. */
interface ViewedTasks {
  readonly tasks: readonly TaskView[];
  /** Whether there are more writes. */
  readonly hasMore: boolean;
}

/** Describes the writes beside a checkpoint by task. It reads small values only. */
async function viewTasks(run: CallRun, place: CheckpointPlace, room: TextRoom): Promise<ViewedTasks> {
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
  run: CallRun,
  place: CheckpointPlace,
  row: RecordedWriteRow,
  room: TextRoom,
): Promise<WriteView> {
  const { idx, channel, bytes } = row;
  const read = bytes > MAX_PREVIEW_BYTES ? undefined : await readableWrite(run, place, row);
  return { idx, channel, bytes, ...(read && { preview: room.cutNode(valueNodeOf(read.value)) }) };
}
