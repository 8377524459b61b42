import { type SerializerProtocol, INTERRUPT, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { MsgpackSerializer } from "../../serde/msgpack/msgpack-serializer.js";
import type { ValueMemory } from "../../splices/value-memory.js";
import {
  parseCheckpoint,
  parseMetadata,
  parseNewVersions,
  parseTask,
  parseWrites,
} from "../boundary/parse-checkpoint.js";
import { parsePutConfig, parseWritesConfig } from "../boundary/parse-config.js";
import type { ClockRule } from "../clock/clock-rule.js";
import type { EncodedCheckpoint } from "../queries/checkpoint-rows.js";
import type { EncodedWrites, EncodedWrite } from "../queries/put-pending-writes.js";
import { INPUT_CHANNEL } from "./special-values.js";
import { asNumber } from "./next-version.js";
import { type SizeCheck, sizeOfCheckpoint, sizeOfWrites } from "./call-size.js";
import { encodeCheckpoint, type PutRequest } from "./encode-checkpoint.js";
import { asPythonInterrupts } from "../../serde/python/as-python.js";
import type { CheckpointKey } from "../model/keys.js";
import { encodeValue } from "./encode-value.js";
import { guardRead } from "../../serde/objects/inspect-object.js";

/** What the calls of a saver are encoded with. */
export interface CallEncoding {
  readonly serde: SerializerProtocol;
  /** Limits the size of each call. Default: no limit. */
  readonly sizeCheck?: SizeCheck;
  /** Checks the ids of checkpoints. Default: no check. */
  readonly clock?: ClockRule | undefined;
  /** Picks metadata out of the config of a run. Default: none. */
  readonly metadataOf?: (config: unknown) => Record<string, unknown>;
  /** What is remembered of the values of checkpoints, with which new ones are compared. Default: values are stored whole. */
  readonly memory?: ValueMemory | undefined;
}

/** The arguments of `put` as the caller passed them. */
export type PutArguments = readonly [
  config: unknown,
  checkpoint: unknown,
  metadata: unknown,
  newVersions: unknown,
];

/** The arguments of `putWrites` as the caller passed them. */
export type PutWritesArguments = readonly [
  config: unknown,
  writes: unknown,
  taskId: unknown,
  taskPath?: unknown,
];

/**
 * Checks the arguments of `put`.
 *
 * @throws InvalidConfigError for an invalid argument.
 * @throws ClockBehindError for a checkpoint that is not newer than its parent.
 */
export function parsePut(
  { clock, metadataOf }: Pick<CallEncoding, "clock" | "metadataOf">,
  ...[config, checkpoint, metadata, newVersions]: PutArguments
): PutRequest {
  const { threadId, checkpointNs, parentCheckpointId, isReplay } = parsePutConfig(config);
  const own = parseMetadata(metadata);
  const request = inKindOfThread({
    threadId,
    checkpointNs,
    parentCheckpointId,
    isReplay,
    checkpoint: parseCheckpoint(checkpoint),
    metadata: metadataOf === undefined ? own : { ...metadataOf(config), ...own },
    newVersions: parseNewVersions(newVersions),
  });
  clock?.checkPut({ threadId, checkpointNs, checkpointId: request.checkpoint.id }, parentCheckpointId);
  return request;
}

/**
 * In a thread that counts in numbers, also the first version of a channel is a number. LangGraph tells by the version of the input what a
 * thread counts in.
 */
function inKindOfThread(request: PutRequest): PutRequest {
  const { checkpoint, newVersions } = request;
  const { channel_versions, versions_seen } = checkpoint;
  if (typeof channel_versions[INPUT_CHANNEL] !== "number") return request;
  const seen = Object.entries(versions_seen).map(([node, versions]) => [node, asNumbers(versions)] as const);
  return {
    ...request,
    checkpoint: {
      ...checkpoint,
      channel_versions: asNumbers(channel_versions),
      versions_seen: Object.fromEntries(seen),
    },
    newVersions: newVersions && asNumbers(newVersions),
  };
}

function asNumbers(versions: Readonly<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, asNumber(version)]));
}

/**
 * Encodes the checked arguments of `put`, before it first awaits.
 *
 * @throws SerializationError naming the channel and the path of a value that can't be stored.
 * @throws CheckpointTooLargeError for a call that would store too much.
 */
export async function encodePut(
  { serde, sizeCheck, memory }: CallEncoding,
  request: PutRequest,
): Promise<EncodedCheckpoint> {
  // Other serializers may encrypt, or have readers that don't know inline values. So may an application's subclass of
  // this one.
  const inlineScalars = serde.constructor === MsgpackSerializer;
  const encoded = await encodeCheckpoint(request, { serde, inlineScalars, memory });
  sizeCheck?.check(encoded, () => sizeOfCheckpoint(encoded));
  return encoded;
}

/** Checks the arguments of `putWrites`, like {@link parsePut}. */
export function parsePutWrites(...[config, writes, taskId, taskPath]: PutWritesArguments): PutWritesRequest {
  return { ...parseWritesConfig(config), ...parseTask(taskId, taskPath), writes: parseWrites(writes) };
}

/** Encodes the checked arguments of `putWrites`, like {@link encodePut}. */
export async function encodePutWrites(
  { serde, sizeCheck }: CallEncoding,
  request: PutWritesRequest,
): Promise<EncodedWrites> {
  const encoded = await encodeWrites(request, serde);
  sizeCheck?.check(encoded, () => sizeOfWrites(encoded));
  return encoded;
}

/** The parsed arguments of `putWrites`. */
export interface PutWritesRequest extends CheckpointKey {
  readonly taskId: string;
  readonly taskPath: string;
  readonly writes: readonly (readonly [channel: string, value: unknown])[];
}

/**
 * Encodes the writes of a task as the rows that store them. It encodes everything before it first awaits.
 *
 * @throws SerializationError naming the channel and the path of a value that can't be stored.
 */
export async function encodeWrites(
  request: PutWritesRequest,
  serde: SerializerProtocol,
): Promise<EncodedWrites> {
  const { threadId, checkpointNs, checkpointId, taskId, taskPath } = request;
  const encoded = await Promise.all(
    request.writes.map(async ([channel, written], position): Promise<EncodedWrite> => {
      const location = { threadId, checkpointNs, checkpointId, channel };
      const value = channel === INTERRUPT ? guardRead(() => asPythonInterrupts(written), location) : written;
      const idx = indexOf(channel, position);
      const context = { ...location, taskId, idx };
      return { idx, channel, ...(await encodeValue(serde, value, context, location)) };
    }),
  );
  return { threadId, checkpointNs, checkpointId, taskId, taskPath, writes: lastOfEachIndex(encoded) };
}

function indexOf(channel: string, position: number): number {
  return Object.hasOwn(WRITES_IDX_MAP, channel) ? (WRITES_IDX_MAP[channel] ?? position) : position;
}

/** Of several special writes of one kind the last one counts. One statement can't write a row twice. */
function lastOfEachIndex(writes: readonly EncodedWrite[]): EncodedWrite[] {
  const byIndex = new Map(writes.map((write) => [write.idx, write]));
  return [...byIndex.values()].sort((a, b) => a.idx - b.idx);
}
