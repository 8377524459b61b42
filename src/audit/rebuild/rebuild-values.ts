import type { CallContext } from "../../db/call-context.js";
import { InvalidConfigError, WritesMissingError } from "../../errors/index.js";
import { isObject } from "../../serde/objects/inspect-object.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import type { ChannelReducers } from "../../saver/model/channel-reducers.js";
import { type CheckpointKey, rowKey } from "../../saver/model/keys.js";
import type { ValueReader } from "../../saver/codec/decode-value.js";
import { groupBy } from "../../db/group-by.js";
import { storedValueOf } from "../../saver/codec/stored-value.js";
import { valueReader } from "../../saver/read-long-values.js";
import { getChannelWrites, type RecordedWriteRow } from "../queries/recorded-writes.js";
import type { EncodedBlob } from "../../saver/queries/checkpoint-rows.js";
import { getSuccessors, type SuccessorRow } from "../queries/get-lineage.js";
import { readTuple } from "../../saver/read-tuple.js";
import { decodeWrite } from "../writes-of.js";
import {
  type ChannelPath,
  type ChannelStep,
  lastStepOf,
  pathOf,
  type Ancestor,
  readLineage,
} from "./channel-path.js";
import { EMPTY, engineValue, isKnownEngineChannel } from "./engine-channels.js";
import { foldStep, type Successor, writesOfStep } from "./channel-steps.js";

/** The context of a rebuild of a checkpoint's channels. */
interface Rebuild {
  readonly call: CallContext;
  readonly serde: ContextualSerializer;
  readonly reducers: ChannelReducers;
  readonly key: CheckpointKey;
}

/** The channels to rebuild. */
export interface RebuiltChannels {
  readonly required: readonly string[];
  /** Channels that may be empty: left out when their value can't be determined. */
  readonly optional: readonly string[];
}

/** The rebuilt value of a channel. */
export interface RebuiltValue {
  /** {@link EMPTY} for an empty channel. */
  readonly value: unknown;
  /** The stored write of a primitive value. Its bytes may carry more: Python's UUID is a string in JavaScript. */
  readonly write?: Pick<EncodedBlob, "type" | "blob"> | undefined;
}

/** Rebuilds the values of channels, by channel. Stores nothing. */
export async function rebuildValues(
  rebuild: Rebuild,
  { required, optional }: RebuiltChannels,
): Promise<ReadonlyMap<string, RebuiltValue>> {
  const { call, key, reducers } = rebuild;
  for (const channel of required) {
    if (!Object.hasOwn(reducers, channel) && !isKnownEngineChannel(channel))
      throw missingReducerError(channel);
  }
  const channels = [...required, ...optional.filter(isKnownEngineChannel)];
  const lineage = await readLineage(call, key, channels);
  const starts = startsOf(lineage, channels);
  const [successors, writes] = await Promise.all([
    getSuccessors(call, { ...key, parentIds: starts, channels }),
    getChannelWrites(call, key, starts, channels),
  ]);
  const records = {
    successors: groupBy(successors, (row) => row.parent_checkpoint_id),
    writes: groupBy(writes, (row) => rowKey(row.checkpoint_id, row.channel)),
    reader: valueReader(call, rebuild.serde),
  };
  const values = new Map<string, RebuiltValue>();
  for (const channel of channels) {
    try {
      values.set(channel, await valueOf(rebuild, channel, lineage, records));
    } catch (error) {
      const isMissing = error instanceof WritesMissingError || error instanceof InvalidConfigError;
      if (required.includes(channel) || !isMissing) throw error;
    }
  }
  return values;
}

/** The checkpoints before the steps that changed one of the channels. */
function startsOf(lineage: readonly Ancestor[], channels: readonly string[]): string[] {
  return lineage.flatMap((before, index) => {
    const after = lineage[index - 1];
    if (after === undefined) return [];
    const changed = channels.some(
      (channel) => before.channels.get(channel)?.version !== after.channels.get(channel)?.version,
    );
    return changed ? [before.id] : [];
  });
}

function missingReducerError(channel: string): InvalidConfigError {
  return new InvalidConfigError(
    `reducers.${channel}`,
    "is missing: rebuilding the value of this channel needs its reducer",
    { channel },
  );
}

interface Records {
  /** By parent. */
  readonly successors: ReadonlyMap<string, readonly SuccessorRow[]>;
  /** By checkpoint and channel. */
  readonly writes: ReadonlyMap<string, readonly RecordedWriteRow[]>;
  readonly reader: ValueReader;
}

async function valueOf(
  rebuild: Rebuild,
  channel: string,
  lineage: readonly Ancestor[],
  records: Records,
): Promise<RebuiltValue> {
  const { key, reducers } = rebuild;
  const reducer = Object.hasOwn(reducers, channel) ? reducers[channel] : undefined;
  if (reducer === undefined) {
    const step = lastStepOf(channel, lineage);
    const { updates } = step === undefined ? NO_WRITES : await updatesOf(channel, step, key, records);
    const value = engineValue({ channel, step, updates }, key);
    if (value === undefined) throw missingReducerError(channel);
    return { value };
  }
  const path = pathOf(channel, lineage, key);
  let value = await baseValue(rebuild, path, records.reader);
  let last = NO_WRITES;
  for (const step of path.steps) {
    last = await updatesOf(channel, step, key, records);
    const { updates } = last;
    if (updates.length > 0) value = foldStep(channel, reducer, value, updates);
    else if (isKnownEngineChannel(channel)) value = undefined;
    else throw unrecordedStepError(step, channel, key);
  }
  return value === undefined ? { value: EMPTY } : { value, write: writeOf(value, last, rebuild.serde) };
}

/** The stored write of a primitive value, if its bytes are not bound to their place. */
function writeOf(
  value: unknown,
  { updates, rows }: StepUpdates,
  serde: ContextualSerializer,
): RebuiltValue["write"] {
  const row = rows.at(-1);
  const type = row?.type ?? null;
  if (row === undefined || type === null || serde.bindsToPlace?.(type) === true) return undefined;
  if (isObject(value) || !Object.is(value, updates.at(-1))) return undefined;
  const { blob, rowVersion } = storedValueOf(type, row.blob);
  return rowVersion === undefined ? { type, blob } : undefined;
}

/** The writes to a channel in a step, and their rows. */
interface StepUpdates {
  readonly updates: readonly unknown[];
  readonly rows: readonly RecordedWriteRow[];
}

const NO_WRITES: StepUpdates = { updates: [], rows: [] };

function unrecordedStepError(
  { before }: ChannelStep,
  channel: string,
  key: CheckpointKey,
): WritesMissingError {
  const problem = `no write to it is recorded beside checkpoint "${before.id}"`;
  return new WritesMissingError(problem, { ...key, channel });
}

/** The value of the channel before the first step; `undefined` for an empty channel. */
async function baseValue(
  { call, key, serde }: Rebuild,
  { channel, base }: ChannelPath,
  { read }: ValueReader,
): Promise<unknown> {
  const target = { ...key, checkpointId: base.id };
  const tuple = await readTuple(call, target, { channels: [channel], writes: false }, serde, read);
  return tuple?.checkpoint.channel_values[channel];
}

async function updatesOf(
  channel: string,
  step: ChannelStep,
  key: CheckpointKey,
  { successors, writes, reader }: Records,
): Promise<StepUpdates> {
  const { id } = step.before;
  const applied = writesOfStep({
    channel,
    step,
    successors: (successors.get(id) ?? []).map((row) => toSuccessor(row, channel)),
    writes: writes.get(rowKey(id, channel)) ?? [],
  });
  if ("problem" in applied) throw new WritesMissingError(applied.problem, { ...key, channel });
  const updates = await Promise.all(applied.map((row) => decodeWrite(row, key, reader)));
  return { updates, rows: applied };
}

function toSuccessor({ checkpoint_id, source, versions }: SuccessorRow, channel: string): Successor {
  // The JSON comes from our own statement.
  const versionByChannel = new Map(Object.entries(JSON.parse(versions) as Record<string, string | null>));
  return { id: checkpoint_id, source, version: versionByChannel.get(channel) ?? null };
}
