import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { PutRecord, WriteRecord } from "../journal/entry.js";
import { digestOf, isIntact } from "../values/chaos-value.js";
import type { Tracked } from "./history.js";

/** Describes how a checkpoint differs from what was put, and which of its writes were never sent. */
export function compareTuple(
  put: PutRecord,
  writes: readonly Tracked<WriteRecord>[],
  tuple: CheckpointTuple,
): string[] {
  const sent = new Set(writes.map(({ item }) => textOf(item)));
  const strange = storedWrites(tuple).filter((text) => !sent.has(text));
  return [
    ...compareChannels(put, tuple),
    ...compareParent(put, tuple),
    ...strange.map((text) => `a write was never sent: ${text}`),
  ];
}

/** Describes the missing writes of a checkpoint. */
export function missingWrites(writes: readonly Tracked<WriteRecord>[], tuple: CheckpointTuple): string[] {
  const stored = new Set(storedWrites(tuple));
  return writes
    .filter(({ item, certainty }) => certainty === "present" && !stored.has(textOf(item)))
    .map(({ item }) => `a write is missing: ${textOf(item)}`);
}

function compareChannels({ id, channels }: PutRecord, { checkpoint }: CheckpointTuple): string[] {
  const values = checkpoint.channel_values;
  const names = new Set([...Object.keys(channels), ...Object.keys(values)]);
  return [...names].flatMap((name) => {
    if (!Object.hasOwn(values, name)) return [`${id} has no value of ${name}`];
    return digestOf(values[name]) === channels[name]
      ? []
      : [`${id} has ${describe(values[name])} in ${name}`];
  });
}

function compareParent({ id, parent }: PutRecord, { parentConfig }: CheckpointTuple): string[] {
  const stored = (parentConfig?.configurable?.checkpoint_id as string | undefined) ?? null;
  return stored === parent ? [] : [`${id} has the parent ${stored ?? "none"}, not ${parent ?? "none"}`];
}

function storedWrites({ pendingWrites = [] }: CheckpointTuple): string[] {
  return pendingWrites.map(([task, channel, value]) => `${task} ${channel} ${digestOf(value)}`);
}

function textOf({ task, channel, digest }: WriteRecord): string {
  return `${task} ${channel} ${digest}`;
}

function describe(value: unknown): string {
  if (typeof value !== "object") return `another value, ${JSON.stringify(value)},`;
  if (!isIntact(value)) return "a value that is not whole";
  return `the value of checkpoint ${value.checkpoint}, channel ${value.channel}, thread ${value.thread}`;
}
