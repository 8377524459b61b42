import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { PutRecord, WriteRecord } from "../journal/entry.js";
import { digestOf, isIntact } from "../values/chaos-value.js";
import type { Tracked } from "./history.js";

/** What of a checkpoint differs from what was put, and which of its writes are missing or differ. */
export function compareTuple(
  put: PutRecord,
  writes: readonly Tracked<WriteRecord>[],
  tuple: CheckpointTuple,
): string[] {
  return [...compareChannels(put, tuple), ...compareParent(put, tuple), ...compareWrites(writes, tuple)];
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

function compareWrites(
  writes: readonly Tracked<WriteRecord>[],
  { pendingWrites = [] }: CheckpointTuple,
): string[] {
  const stored = pendingWrites.map(([task, channel, value]) => `${task} ${channel} ${digestOf(value)}`);
  const expected = writes.map(({ item, certainty }) => ({ certainty, text: textOf(item) }));
  const missing = expected.filter(({ certainty, text }) => certainty === "present" && !stored.includes(text));
  const known = new Set(expected.map(({ text }) => text));
  return [
    ...missing.map(({ text }) => `a write is missing: ${text}`),
    ...stored.filter((text) => !known.has(text)).map((text) => `a write is none that was sent: ${text}`),
  ];
}

function textOf({ task, channel, digest }: WriteRecord): string {
  return `${task} ${channel} ${digest}`;
}

function describe(value: unknown): string {
  if (!isIntact(value)) return `a value that is not whole`;
  return `the value of checkpoint ${value.checkpoint}, channel ${value.channel}, thread ${value.thread}`;
}
