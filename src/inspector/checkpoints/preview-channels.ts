import { isUnreadable } from "../../errors/index.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import type { ChannelRow } from "../queries/channel-rows.js";
import { configOf } from "../stored-values/config-of.js";

/** Longer values are not read before somebody opens them. */
export const MAX_PREVIEW_BYTES = 4_096;
/** The most bytes of values that are read for one checkpoint. */
const MAX_BYTES = 131_072;
const MAX_CHANNELS = 500;

/** Reads the small values of a checkpoint, by channel. One that this saver can't read is left out. */
export async function readSmallValues(
  run: CallRun,
  place: CheckpointPlace,
  rows: readonly ChannelRow[],
): Promise<ReadonlyMap<string, unknown>> {
  const channels = smallChannels(rows);
  if (channels.length === 0) return new Map();
  const read = await valuesOf(run, place, channels);
  if (read !== undefined) return read;
  // At least one can't be read, for example for want of a key. The others are read one by one.
  const each = await Promise.all(channels.map((channel) => valuesOf(run, place, [channel])));
  return new Map(each.flatMap((values) => [...(values ?? [])]));
}

function smallChannels(rows: readonly ChannelRow[]): string[] {
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
export function hasStoredValue({ type }: ChannelRow): boolean {
  return type !== null && type !== "empty";
}

async function valuesOf(
  { context, signal }: CallRun,
  place: CheckpointPlace,
  channels: readonly string[],
): Promise<ReadonlyMap<string, unknown> | undefined> {
  try {
    const tuple = await context.saver.getTuple(configOf(place), { channels, writes: false, signal });
    return new Map(Object.entries(tuple?.checkpoint.channel_values ?? {}));
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}
