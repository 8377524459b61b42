import { InvalidConfigError } from "../../errors/index.js";
import {
  type EarlierCheckpoint,
  parseChannelValue,
  readEarlierValues,
} from "../../threads/parse-channel-value.js";
import type { ForkEdit } from "../api/changes.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { getSurroundings } from "../queries/surroundings.js";
import { configOfPlace, checkpointNotFound } from "../stored-values/read-stored-value.js";

/** The values of a fork, and the checkpoints that say what their channels hold. */
interface PreparedFork {
  readonly values: Readonly<Record<string, unknown>>;
  /** The checkpoint to fork and the newest one of its namespace. */
  readonly checkpointIds: readonly string[];
}

/**
 * Converts the JSON of a fork to values of its channels. It stores nothing.
 *
 * @throws InvalidConfigError where a channel can't have such a value.
 */
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
  const parsed = Object.entries(values).map(([channel, json]) => {
    const field = `args.values.${channel}`;
    return [channel, parseChannelValue({ channel, json, field }, earlier.get(channel) ?? [])] as const;
  });
  return {
    values: Object.fromEntries(parsed),
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
