import { isDeepStrictEqual } from "node:util";
import { type CheckpointTuple, TASKS } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../db/call-context.js";
import { CheckpointNotFoundError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { CheckpointTarget } from "./boundary/parse-audit.js";
import { parseLookupConfig } from "../saver/boundary/parse-config.js";
import { compareText } from "../saver/model/keys.js";
import { readTuple } from "../saver/read-tuple.js";
import type { ChannelDiff, CheckpointDiff } from "./audit-types.js";
import { unstoredDeltas } from "./delta-channels.js";

/** Compares two checkpoints; see `diff` of the savers. */
export async function diff(
  call: CallContext,
  [a, b]: readonly [CheckpointTarget, CheckpointTarget],
  serde: ContextualSerializer,
): Promise<CheckpointDiff> {
  const sharedRead = {};
  const read = (target: CheckpointTarget, channels: readonly string[]) =>
    readOrThrow(call, { target, channels, read: sharedRead }, serde);
  const [headerA, headerB] = await Promise.all([read(a, []), read(b, [])]);
  const sharesValues = a.threadId === b.threadId && a.checkpointNs === b.checkpointNs;
  const differing = channelsOf(headerA, headerB).filter(
    (channel) => !sharesValues || versionOf(headerA, channel) !== versionOf(headerB, channel),
  );
  // Reads the values of the same two checkpoints by their ids, since the newest may have changed. Before format 4 the sends
  // are no stored value; reading the channel builds them.
  const wanted = [headerA, headerB].some(isBeforeVersion4) ? [...differing, TASKS] : differing;
  const [before, after] = await Promise.all([
    read(targetOf(headerA, a), wanted),
    read(targetOf(headerB, b), wanted),
  ]);
  const deltas = new Set([
    ...(await unstoredDeltas(call, a, before, wanted)),
    ...(await unstoredDeltas(call, b, after, wanted)),
  ]);
  return {
    before: before.config,
    after: after.config,
    channels: channelsOf(before, after).map((channel) =>
      deltas.has(channel) ? diffOfDelta(channel, before, after) : diffOf(channel, before, after),
    ),
  };
}

interface DiffedCheckpoint {
  readonly target: CheckpointTarget;
  readonly channels: readonly string[];
  /** The same object for both checkpoints, since both are in memory at once. */
  readonly read: object;
}

async function readOrThrow(
  call: CallContext,
  { target, channels, read }: DiffedCheckpoint,
  serde: ContextualSerializer,
): Promise<CheckpointTuple> {
  const tuple = await readTuple(call, target, { channels, writes: false }, serde, read);
  if (tuple === undefined) throw new CheckpointNotFoundError(target);
  return tuple;
}

function targetOf({ config }: CheckpointTuple, target: CheckpointTarget): CheckpointTarget {
  return parseLookupConfig(config) ?? target;
}

/** A channel whose values were not read, because both have the same version, counts as the same. */
function diffOf(channel: string, before: CheckpointTuple, after: CheckpointTuple): ChannelDiff {
  const versions = versionsOf(channel, before, after);
  const hadValue = Object.hasOwn(before.checkpoint.channel_values, channel);
  const hasValue = Object.hasOwn(after.checkpoint.channel_values, channel);
  const old = { before: before.checkpoint.channel_values[channel] };
  const now = { after: after.checkpoint.channel_values[channel] };
  if (hadValue && !hasValue) return { channel, change: "removed", ...versions, ...old };
  if (!hadValue && hasValue) return { channel, change: "added", ...versions, ...now };
  if (isDeepStrictEqual(old.before, now.after)) return { channel, change: "same", ...versions };
  return { channel, change: "changed", ...versions, ...old, ...now };
}

/** The difference of a delta channel whose value at least one checkpoint does not store. */
function diffOfDelta(channel: string, before: CheckpointTuple, after: CheckpointTuple): ChannelDiff {
  const [valuesBefore, valuesAfter] = [before.checkpoint.channel_values, after.checkpoint.channel_values];
  return {
    ...{ channel, change: "unstored", ...versionsOf(channel, before, after) },
    ...(Object.hasOwn(valuesBefore, channel) && { before: valuesBefore[channel] }),
    ...(Object.hasOwn(valuesAfter, channel) && { after: valuesAfter[channel] }),
  };
}

function versionsOf(channel: string, before: CheckpointTuple, after: CheckpointTuple) {
  const beforeVersion = versionOf(before, channel);
  const afterVersion = versionOf(after, channel);
  return {
    ...(beforeVersion !== undefined && { beforeVersion }),
    ...(afterVersion !== undefined && { afterVersion }),
  };
}

function channelsOf(...tuples: readonly CheckpointTuple[]): string[] {
  const names = tuples.flatMap(({ checkpoint }) => [
    ...Object.keys(checkpoint.channel_versions),
    ...Object.keys(checkpoint.channel_values),
  ]);
  return [...new Set(names)].sort(compareText);
}

function versionOf({ checkpoint }: CheckpointTuple, channel: string): string | number | undefined {
  return Object.hasOwn(checkpoint.channel_versions, channel)
    ? checkpoint.channel_versions[channel]
    : undefined;
}

function isBeforeVersion4({ checkpoint }: CheckpointTuple): boolean {
  return checkpoint.v < 4;
}
