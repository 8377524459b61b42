import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { CheckpointView } from "../api/checkpoints.js";
import type { CheckpointPlace } from "../api/places.js";
import type { ValueNode } from "../api/value-node.js";
import type { CallRun } from "../calls/call-definition.js";
import { type ChannelRow, getChannelRows } from "../queries/channel-rows.js";
import { getPoints } from "../queries/get-history-points.js";
import { getSurroundings } from "../queries/get-surroundings.js";
import { pointOf } from "../states/point-of.js";
import { readStates } from "../states/read-states.js";
import { configOf } from "../stored-values/config-of.js";
import { notFound } from "../stored-values/read-stored-value.js";
import { describeValue } from "../values/describe-value.js";
import { TextRoom } from "../values/text-room.js";
import { viewChannels } from "./view-channels.js";
import { viewTasks } from "./view-tasks.js";

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
  if (around === undefined || row === undefined) throw notFound(place);
  const { writes: _writes, interrupted: _interrupted, failed: _failed, ...point } = pointOf(row);
  const room = new TextRoom();
  const header = await readHeader(run, place, around.metadata_bytes, rows);
  const [{ tasks, hasMore }, { channels, conversations }, [state]] = await Promise.all([
    viewTasks(run, place, room),
    viewChannels(run, place, { rows, header }, room),
    readStates(run, [place], { isOlder: around.newest !== place.checkpointId }),
  ]);
  const metadata = header === undefined ? UNREAD : describeValue(header.metadata);
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
  rows: readonly ChannelRow[],
): Promise<CheckpointTuple | undefined> {
  const bytes = rows.reduce((sum, { inline_bytes }) => sum + (inline_bytes ?? 0), metadataBytes);
  if (bytes > MAX_HEADER_BYTES) return undefined;
  return context.saver.getTuple(configOf(place), { values: false, signal });
}
