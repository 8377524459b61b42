import {
  type Checkpoint,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  maxChannelVersion,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import { DeserializationError } from "../../errors.js";
import { parseJsonText } from "../../serde/json/json-text.js";
import type { ContextualSerializer, PendingWriteContext } from "../../serde/serde-context.js";
import type { CheckpointKey } from "../checkpoint-key.js";
import { FIRST_VERSION } from "../next-version.js";
import type { TupleRow } from "../queries/tuple-row.js";
import type { TupleSelection } from "../queries/tuple-shape.js";
import { fromStoredBarrier } from "./barrier-value.js";
import { decodeValue, INLINE_REFUSAL } from "./decode-value.js";
import { required, type TupleParts } from "./group-rows.js";
import { type CheckpointHeader, parseHeader, parseStoredMetadata } from "./parse-header.js";
import { storedValueOf } from "./stored-value.js";

/**
 * Puts a tuple together from its rows.
 *
 * @throws DeserializationError when a value can't be read; it names the channel.
 * @throws CorruptCheckpointError when a row does not have the shape of a checkpoint.
 */
export async function decodeTuple(
  parts: TupleParts,
  selection: TupleSelection,
  serde: ContextualSerializer,
): Promise<CheckpointTuple> {
  const { header: row } = parts;
  const location = locationOf(parts);
  const [header, metadata, pendingWrites, sends] = await Promise.all([
    parseJsonText(required(row.checkpoint, "checkpoint", row)),
    parseJsonText(required(row.metadata, "metadata", row)),
    decodeWrites(parts, location, serde),
    decodeSends(parts, location, serde),
  ]);
  const selected = selectInline(parseHeader(header, location), selection);
  const checkpoint = await decodeCheckpoint(selected, parts, location, serde);
  const tuple: CheckpointTuple = {
    config: configOf(row.thread_id, row.checkpoint_ns, location.checkpointId),
    checkpoint: sends.length === 0 ? checkpoint : withSends(checkpoint, sends),
    metadata: parseStoredMetadata(metadata, location),
  };
  // Left out rather than empty: an empty list says that there are none.
  if (selection.writes) tuple.pendingWrites = pendingWrites;
  if (row.parent_checkpoint_id !== null) {
    tuple.parentConfig = configOf(row.thread_id, row.checkpoint_ns, row.parent_checkpoint_id);
  }
  return tuple;
}

/** Leaves out the values in the header that were not asked for; the others never came. */
function selectInline(header: CheckpointHeader, { channels }: TupleSelection): CheckpointHeader {
  if (channels === undefined) return header;
  const wanted = Object.entries(header.channel_values ?? {}).filter(([channel]) =>
    channels.includes(channel),
  );
  return { ...header, channel_values: Object.fromEntries(wanted) };
}

function locationOf({ header }: TupleParts): CheckpointKey {
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
  location: CheckpointKey,
  serde: ContextualSerializer,
): Promise<Checkpoint> {
  const { threadId, checkpointNs } = location;
  const channel_versions = header.channel_versions ?? {};
  const stored = Object.entries(channel_versions).map(async ([channel, version]) => {
    const blob = parts.blobOf(channel, String(version));
    if (blob === undefined) return [];
    const context = { threadId, checkpointNs, channel, version: String(version) };
    const value = await decodeValue(serde, blob, context, { ...location, channel });
    return [[channel, fromStoredBarrier(channel, value)] as const];
  });
  const values = Object.fromEntries((await Promise.all(stored)).flat());
  if (serde.refusesPlaintext === true) refuseInline(header, values, location);
  return {
    ...header,
    channel_versions,
    versions_seen: header.versions_seen ?? {},
    // Python's saver leaves scalars inline, and a marker where the value itself is in a blob: a blob wins.
    channel_values: { ...header.channel_values, ...values },
  };
}

/** What somebody could have put there without a key. A marker beside a blob is not read, and may stay. */
function refuseInline(
  { channel_values }: CheckpointHeader,
  stored: Readonly<Record<string, unknown>>,
  location: CheckpointKey,
): void {
  const channel = Object.keys(channel_values ?? {}).find((name) => !Object.hasOwn(stored, name));
  if (channel !== undefined) throw new DeserializationError(INLINE_REFUSAL, { ...location, channel });
}

async function decodeWrites(
  { writes }: TupleParts,
  location: CheckpointKey,
  serde: ContextualSerializer,
): Promise<CheckpointPendingWrite[]> {
  return Promise.all(
    writes.map(async (row): Promise<CheckpointPendingWrite> => {
      const channel = required(row.channel, "channel", row);
      return [
        required(row.task_id, "task_id", row),
        channel,
        await decodeValue(serde, storedValueOf(row), writeContext(row, channel, location), {
          ...location,
          channel,
        }),
      ];
    }),
  );
}

/** They stand beside the parent, whose writes they are. */
function decodeSends(
  { header, sends }: TupleParts,
  location: CheckpointKey,
  serde: ContextualSerializer,
): Promise<unknown[]> {
  return Promise.all(
    sends.map(async (row) => {
      const checkpointId = required(header.parent_checkpoint_id, "parent_checkpoint_id", header);
      const context = writeContext(row, TASKS, { ...location, checkpointId });
      return await decodeValue(serde, storedValueOf(row), context, { ...location, channel: TASKS });
    }),
  );
}

function writeContext(row: TupleRow, channel: string, key: CheckpointKey): PendingWriteContext {
  const { threadId, checkpointNs, checkpointId } = key;
  const taskId = required(row.task_id, "task_id", row);
  return { threadId, checkpointNs, channel, checkpointId, taskId, idx: required(row.idx, "idx", row) };
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
