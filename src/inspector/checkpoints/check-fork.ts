import { InvalidConfigError } from "../../errors/index.js";
import { readForkTarget } from "../../threads/fork-target.js";
import {
  type EarlierCheckpoint,
  parseChannelValue,
  readEarlierValues,
} from "../../threads/parse-channel-value.js";
import { rebuildDeltaValues } from "../../threads/rebuild-delta-values.js";
import type { CheckedFork, CheckedValue, ForkEdit } from "../api/changes.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { getSurroundings } from "../queries/surroundings.js";
import { configOfPlace, findChannelValue, checkpointNotFound } from "../stored-values/read-stored-value.js";
import { valueNodeOf } from "../values/describe-value.js";
import { unwrapSnapshot } from "../../saver/codec/special-values.js";

/** The values of a fork, and the checkpoints that say what their channels hold. */
interface PreparedFork {
  readonly values: readonly PreparedValue[];
  /** The checkpoint to fork and the newest one of its namespace. */
  readonly checkpointIds: readonly string[];
}

/** A value as the fork stores it, or why it can't be stored. */
interface PreparedValue {
  readonly channel: string;
  readonly isNewChannel: boolean;
  readonly value?: unknown;
  readonly problem?: InvalidConfigError;
}

/** Converts the JSON of a fork to values of its channels. It stores nothing. */
export async function prepareFork(run: CallRun, { values, ...place }: ForkEdit): Promise<PreparedFork> {
  const around = await getSurroundings(run.call, place, 0);
  if (around === undefined) throw checkpointNotFound(place);
  const places = [...new Set([place.checkpointId, around.newest])].map((checkpointId) => ({
    ...place,
    checkpointId,
  }));
  const checkpoints = await Promise.all(places.map((each) => readCheckpoint(run, each)));
  const channels = Object.keys(values);
  const earlier = await readEarlierValues(run.context.saver, checkpoints, channels, run.signal);
  return {
    values: channels.map((channel) => ({
      channel,
      isNewChannel: checkpoints.every(({ channels: known }) => !known.includes(channel)),
      ...parsedValue(channel, values[channel], earlier.get(channel) ?? []),
    })),
    checkpointIds: places.map(({ checkpointId }) => checkpointId),
  };
}

async function readCheckpoint(
  { context, signal }: CallRun,
  place: CheckpointPlace,
): Promise<EarlierCheckpoint> {
  const config = configOfPlace(place);
  const tuple = await context.saver.getTuple(config, { values: false, signal });
  if (tuple === undefined) throw checkpointNotFound(place);
  return { config, channels: Object.keys(tuple.checkpoint.channel_versions) };
}

function parsedValue(
  channel: string,
  json: unknown,
  earlier: readonly unknown[],
): Pick<PreparedValue, "value" | "problem"> {
  try {
    const field = `args.values.${channel}`;
    return { value: parseChannelValue({ channel, json, field }, earlier) };
  } catch (error) {
    if (error instanceof InvalidConfigError) return { problem: error };
    throw error;
  }
}

/** Says what a fork would store. */
export async function checkFork(run: CallRun, request: ForkEdit): Promise<CheckedFork> {
  const { values: _values, ...place } = request;
  const { values } = await prepareFork(run, request);
  const checked = await Promise.all(values.map((value) => describePrepared(run, place, value)));
  const missing = await missingValue(run, place, values);
  return { values: [...checked, ...(missing === undefined ? [] : [missing])] };
}

async function describePrepared(
  run: CallRun,
  place: CheckpointPlace,
  { channel, isNewChannel, value, problem }: PreparedValue,
): Promise<CheckedValue> {
  const before = await findChannelValue(run, { ...place, channel });
  return {
    channel,
    ...(before !== undefined && { before: valueNodeOf(unwrapSnapshot(before.value)) }),
    ...(problem === undefined ? { after: valueNodeOf(value) } : { problem: problem.message }),
    isNewChannel,
  };
}

/** Returns the delta channel whose value the fork would have to rebuild, but can't. */
async function missingValue(
  { context, call }: CallRun,
  { threadId, namespace, checkpointId }: CheckpointPlace,
  values: readonly PreparedValue[],
): Promise<CheckedValue | undefined> {
  const target = await readForkTarget(call, { threadId, checkpointNs: namespace, checkpointId });
  const given = Object.fromEntries(values.map(({ channel, value }) => [channel, value]));
  try {
    await rebuildDeltaValues(call, target, { values: given, reducers: {} }, context.saver.serde);
    return undefined;
  } catch (error) {
    const channel = channelToRebuild(error);
    if (channel === undefined) throw error;
    return { channel, problem: neededValue(channel).message, isNewChannel: false };
  }
}

/** Says what to do about a delta channel, instead of how to call the library. */
export async function explainDeltas<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const channel = channelToRebuild(error);
    if (channel === undefined) throw error;
    throw neededValue(channel, error);
  }
}

/** The channel that an error of a fork is about, where it needs a reducer or a first value. */
function channelToRebuild(error: unknown): string | undefined {
  if (!(error instanceof InvalidConfigError)) return undefined;
  return /^options\.(?:reducers|values)\./.test(error.field) ? error.channel : undefined;
}

function neededValue(channel: string, cause?: unknown): InvalidConfigError {
  return new InvalidConfigError(
    `args.values.${channel}`,
    `is a delta channel, whose value only its graph can rebuild: fork with a value for it, or fork in the application with its reducer`,
    { channel, cause },
  );
}
