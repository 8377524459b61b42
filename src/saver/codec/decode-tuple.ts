import {
  type Checkpoint,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  maxChannelVersion,
  type SerializerProtocol,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import type { ErrorLocation } from "../../errors.js";
import { parseJsonText } from "../../serde/json/json-text.js";
import { FIRST_VERSION } from "../next-version.js";
import { fromStoredBarrier } from "./barrier-value.js";
import { decodeValue } from "./decode-value.js";
import { required, type TupleParts } from "./group-rows.js";
import { type CheckpointHeader, parseHeader, parseStoredMetadata } from "./parse-header.js";

/**
 * Puts a tuple together from its rows.
 *
 * @throws DeserializationError when a value can't be read; it names the channel.
 * @throws CorruptCheckpointError when a row does not have the shape of a checkpoint.
 */
export async function decodeTuple(parts: TupleParts, serde: SerializerProtocol): Promise<CheckpointTuple> {
  const { header: row } = parts;
  const location = locationOf(parts);
  const [header, metadata, pendingWrites, sends] = await Promise.all([
    parseJsonText(required(row.checkpoint, "checkpoint", row)),
    parseJsonText(required(row.metadata, "metadata", row)),
    decodeWrites(parts, location, serde),
    Promise.all(parts.sends.map((send) => decodeValue(serde, send, { ...location, channel: TASKS }))),
  ]);
  const checkpoint = await decodeCheckpoint(parseHeader(header, location), parts, location, serde);
  const tuple: CheckpointTuple = {
    config: configOf(row.thread_id, row.checkpoint_ns, location.checkpointId),
    checkpoint: sends.length === 0 ? checkpoint : withSends(checkpoint, sends),
    metadata: parseStoredMetadata(metadata, location),
    pendingWrites,
  };
  if (row.parent_checkpoint_id === null) return tuple;
  return { ...tuple, parentConfig: configOf(row.thread_id, row.checkpoint_ns, row.parent_checkpoint_id) };
}

type RowLocation = ErrorLocation & { readonly checkpointId: string };

function locationOf({ header }: TupleParts): RowLocation {
  return {
    threadId: header.thread_id,
    checkpointNs: header.checkpoint_ns,
    checkpointId: required(header.checkpoint_id, "checkpoint_id", header),
  };
}

function configOf(threadId: string, checkpointNs: string, checkpointId: string): CheckpointTuple["config"] {
  return { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId } };
}

async function decodeCheckpoint(
  header: CheckpointHeader,
  parts: TupleParts,
  location: ErrorLocation,
  serde: SerializerProtocol,
): Promise<Checkpoint> {
  const channel_versions = header.channel_versions ?? {};
  const stored = Object.entries(channel_versions).map(async ([channel, version]) => {
    const row = parts.blobOf(channel, String(version));
    if (row === undefined) return [];
    const value = await decodeValue(serde, row, { ...location, channel });
    return [[channel, fromStoredBarrier(channel, value)] as const];
  });
  return {
    ...header,
    channel_versions,
    versions_seen: header.versions_seen ?? {},
    // Python's saver leaves scalars inline, and a marker where the value itself is in a blob: a blob wins.
    channel_values: { ...header.channel_values, ...Object.fromEntries((await Promise.all(stored)).flat()) },
  };
}

async function decodeWrites(
  { writes }: TupleParts,
  location: ErrorLocation,
  serde: SerializerProtocol,
): Promise<CheckpointPendingWrite[]> {
  return Promise.all(
    writes.map(async (row): Promise<CheckpointPendingWrite> => {
      const channel = required(row.channel, "channel", row);
      return [
        required(row.task_id, "task_id", row),
        channel,
        await decodeValue(serde, row, { ...location, channel }),
      ];
    }),
  );
}

/** Before version 4 of the format the sends of a checkpoint were writes of its parent. */
function withSends(checkpoint: Checkpoint, sends: readonly unknown[]): Checkpoint {
  const versions = Object.values(checkpoint.channel_versions);
  const version = versions.length === 0 ? FIRST_VERSION : maxChannelVersion(...versions);
  return {
    ...checkpoint,
    channel_versions: { ...checkpoint.channel_versions, [TASKS]: version },
    channel_values: { ...checkpoint.channel_values, [TASKS]: [...sends] },
  };
}
