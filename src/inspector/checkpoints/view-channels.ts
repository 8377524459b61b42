import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { unstoredDeltas } from "../../audit/unstored-deltas.js";
import { isArray } from "../../serde/objects/type-guards.js";
import type { ChannelView } from "../api/checkpoints.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import type { ChannelRow } from "../queries/channel-rows.js";
import { describeValue } from "../values/describe-value.js";
import { unwrapSnapshot } from "../../saver/codec/special-values.js";
import { isConversation } from "../values/read-message.js";
import type { TextRoom } from "../values/text-room.js";
import { hasStoredValue, readSmallValues } from "./preview-channels.js";

/** The channels of a checkpoint. */
export interface ViewedChannels {
  readonly channels: readonly ChannelView[];
  readonly conversations: readonly string[];
}

/** The channel in which LangGraph's prebuilt states have their messages. */
const MESSAGES = "messages";

/** What was found of the channels before their values. */
export interface FoundChannels {
  readonly rows: readonly ChannelRow[];
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
      ...(values.has(channel) && { preview: room.cutNode(describeValue(values.get(channel))) }),
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

function storageOf(row: ChannelRow, deltas: ReadonlySet<string>): Pick<ChannelView, "storage" | "bytes"> {
  if (hasStoredValue(row)) return { storage: row.is_splice ? "splice" : "stored", bytes: row.stored_bytes };
  if (row.inline_bytes !== null) return { storage: "header", bytes: row.inline_bytes };
  return { storage: deltas.has(row.channel) ? "delta" : "empty", bytes: 0 };
}

const version = z.union([z.string(), z.number()]).catch("");

function versionOf(json: string | null): string | number {
  return version.parse(json === null ? "" : JSON.parse(json));
}
