import { readableValues } from "../stored-values/readable-values.js";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { unstoredDeltas } from "../../audit/delta-channels.js";
import { isArray } from "../../serde/objects/inspect-object.js";
import type { ChannelView } from "../api/checkpoints.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import type { ViewedChannelRow } from "../queries/channel-rows.js";
import { valueNodeOf } from "../values/describe-value.js";
import { unwrapSnapshot } from "../../saver/codec/special-values.js";
import { isConversation } from "../values/read-message.js";
import type { TextRoom } from "../values/cut-text.js";

/** The channels of a checkpoint. */
interface ViewedChannels {
  readonly channels: readonly ChannelView[];
  readonly conversations: readonly string[];
}

/** The channel in which LangGraph's prebuilt states have their messages. */
const MESSAGES = "messages";

/** What was found of the channels before their values. */
interface FoundChannels {
  readonly rows: readonly ViewedChannelRow[];
  /** `undefined` where it holds too much to be read. */
  readonly header: CheckpointTuple | undefined;
}

const NO_VALUES: ReadonlyMap<string, unknown> = new Map();
const NO_CHANNELS: ReadonlySet<string> = new Set();

/** Describes the channels of a checkpoint. It reads small values only. */
export async function viewChannels(
  run: CallRun,
  place: CheckpointPlace,
  { rows, header }: FoundChannels,
  room: TextRoom,
): Promise<ViewedChannels> {
  const [values, deltas] = await Promise.all([
    header === undefined ? NO_VALUES : readSmallValues(run, place, rows),
    header === undefined ? NO_CHANNELS : findUnstoredDeltas(run, place, { rows, header }),
  ]);
  const channels = rows.map((row): ChannelView => {
    const { channel } = row;
    return {
      ...{ channel, version: versionOf(row.version) },
      ...storageOf(row, deltas),
      isNew: row.version !== row.parent_version,
      ...(values.has(channel) && { preview: room.cutNode(valueNodeOf(values.get(channel))) }),
    };
  });
  const conversations = channels.filter(({ channel, storage }) => {
    if (!values.has(channel)) return channel === MESSAGES && storage !== "empty";
    const value = unwrapSnapshot(values.get(channel));
    return isConversation(value) || (channel === MESSAGES && isArray(value) && value.length === 0);
  });
  return { channels, conversations: conversations.map(({ channel }) => channel) };
}

/** Finds the delta channels among those without a stored value. */
async function findUnstoredDeltas(
  { call }: CallRun,
  { threadId, namespace }: CheckpointPlace,
  { rows, header }: FoundChannels & { readonly header: CheckpointTuple },
): Promise<ReadonlySet<string>> {
  const unstored = rows.filter((row) => !hasStoredValue(row) && row.inline_bytes === null);
  const names = unstored.map(({ channel }) => channel);
  return new Set(await unstoredDeltas(call, { threadId, checkpointNs: namespace }, header, names));
}

function storageOf(
  row: ViewedChannelRow,
  deltas: ReadonlySet<string>,
): Pick<ChannelView, "storage" | "bytes"> {
  if (hasStoredValue(row)) return { storage: row.is_splice ? "splice" : "stored", bytes: row.stored_bytes };
  if (row.inline_bytes !== null) return { storage: "header", bytes: row.inline_bytes };
  return { storage: deltas.has(row.channel) ? "delta" : "empty", bytes: 0 };
}

const version = z.union([z.string(), z.number()]).catch("");

function versionOf(json: string | null): string | number {
  return version.parse(json === null ? "" : JSON.parse(json));
}

/** Longer values are not read before somebody opens them. */
export const MAX_PREVIEW_BYTES = 4_096;
/** The most bytes of values that are read for one checkpoint. */
const MAX_BYTES = 131_072;
const MAX_CHANNELS = 500;

/** Reads the small values of a checkpoint, by channel. One that this saver can't read is left out. */
async function readSmallValues(
  run: CallRun,
  place: CheckpointPlace,
  rows: readonly ViewedChannelRow[],
): Promise<ReadonlyMap<string, unknown>> {
  const channels = smallChannels(rows);
  if (channels.length === 0) return new Map();
  const read = await readableValues(run, place, channels);
  if (read !== undefined) return new Map(Object.entries(read));
  // At least one can't be read, for example for want of a key. The others are read one by one.
  const each = await Promise.all(channels.map((channel) => readableValues(run, place, [channel])));
  return new Map(each.flatMap((values) => Object.entries(values ?? {})));
}

function smallChannels(rows: readonly ViewedChannelRow[]): string[] {
  const channels: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = hasStoredValue(row) ? row.whole_bytes : row.inline_bytes;
    if (size === null || size > MAX_PREVIEW_BYTES) continue;
    bytes += size;
    if (bytes > MAX_BYTES || channels.length >= MAX_CHANNELS) break;
    channels.push(row.channel);
  }
  return channels;
}

/** Whether a row of its own holds the value of a channel. */
export function hasStoredValue({ type }: ViewedChannelRow): boolean {
  return type !== null && type !== "empty";
}
