import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Digests, PutRecord, WriteRecord } from "../journal/entry.js";
import type { Random } from "../random.js";
import { type ChaosValue, digestOf, growValue, makeValue } from "../values/chaos-value.js";
import type { ChaosSaver } from "./open-saver.js";
import type { Head, Slot } from "./slot.js";

/** A checkpoint to put. */
export interface NewCheckpoint {
  readonly parentConfig: RunnableConfig;
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  readonly newVersions: ChannelVersions;
  readonly record: PutRecord;
}

let clock = 0;

/** Makes a checkpoint after `parent`, or the first of its thread. Some channels change; it carries the others over. */
export function newCheckpoint(saver: ChaosSaver, slot: Slot, parent: Head | undefined): NewCheckpoint {
  const id = uuid6(clock++ % 16_384);
  const changed = newValues(slot, id, parent);
  const channel_values = { ...parent?.checkpoint.channel_values, ...changed };
  const versions = parent?.checkpoint.channel_versions ?? {};
  const newVersions = Object.fromEntries(
    Object.keys(changed).map((channel) => [channel, saver.getNextVersion(versions[channel] as number)]),
  );
  const changedDigests = Object.fromEntries(
    Object.entries(changed).map(([channel, value]) => [channel, digestOf(value)]),
  );
  const checkpoint = {
    v: 4,
    id,
    ts: new Date().toISOString(),
    channel_values,
    channel_versions: { ...versions, ...newVersions },
    versions_seen: {},
  };
  const channels: Digests = { ...parent?.digests, ...changedDigests };
  return {
    parentConfig: parent?.config ?? slot.config,
    checkpoint,
    metadata: { source: "loop", step: 0, parents: {} },
    newVersions,
    record: { id, parent: parent?.checkpoint.id ?? null, channels },
  };
}

/** Converts a {@link newCheckpoint} to the parent of the next one. */
export function headOf({ checkpoint, record }: NewCheckpoint, slot: Slot): Head {
  return { config: configOf(slot, checkpoint.id), checkpoint, digests: record.channels };
}

/** A config that names a checkpoint. */
export function configOf(slot: Slot, checkpoint_id: string): RunnableConfig {
  return { configurable: { ...slot.config.configurable, checkpoint_id } };
}

/** Makes the writes of a task for a checkpoint. */
export function newWrites(
  slot: Slot,
  checkpoint: string,
): { records: WriteRecord[]; values: [string, ChaosValue][] } {
  const task = uuid6(clock++ % 16_384);
  const channels = CHANNELS.slice(0, slot.random.between(1, CHANNELS.length));
  const values = channels.map((channel): [string, ChaosValue] => [
    channel,
    makeValue({ thread: slot.thread, checkpoint, channel: `${channel} of ${task}` }, sizeOf(slot.random)),
  ]);
  const records = values.map(([channel, value], idx) => ({
    checkpoint,
    task,
    idx,
    channel,
    digest: digestOf(value),
  }));
  return { records, values };
}

const CHANNELS = ["messages", "notes", "files", "plan"];
/** The channel whose values have most of their content from the value before, so that they can be splices of it. */
const GROWING = "history";
/** The share of values with several hundred kilobytes. */
const BIG_PART = 0.02;

function newValues(slot: Slot, id: string, parent: Head | undefined): Record<string, unknown> {
  const { random } = slot;
  const changed = CHANNELS.filter(() => parent === undefined || random.chance(0.5));
  const values = changed.map((channel) => {
    const place = { thread: slot.thread, checkpoint: id, channel };
    return [channel, makeValue(place, sizeOf(random))] as const;
  });
  const place = { thread: slot.thread, checkpoint: id, channel: GROWING };
  const before = parent?.checkpoint.channel_values[GROWING];
  const growing = parent === undefined || random.chance(0.5) ? { [GROWING]: growValue(place, before) } : {};
  const steps = (parent?.checkpoint.channel_values.step as number | undefined) ?? 0;
  // Both are stored in the header; most checkpoints carry the title over.
  const title = parent === undefined || random.chance(0.2) ? { title: `${slot.thread} ${id}` } : {};
  return { ...Object.fromEntries(values), ...growing, ...title, step: steps + 1 };
}

function sizeOf(random: Random): number {
  return random.chance(BIG_PART) ? random.between(200_000, 600_000) : random.between(20, 4_000);
}
