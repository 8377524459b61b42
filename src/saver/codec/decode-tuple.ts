import {
  type Checkpoint,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  maxChannelVersion,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import { DeserializationError } from "../../errors/index.js";
import type { PendingWriteContext } from "../../serde/serde-context.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";
import { FIRST_VERSION } from "./next-version.js";
import type { TupleSelection } from "../model/tuple-shape.js";
import { fromStoredBarrier } from "./barrier-value.js";
import { isEngineChannel } from "../model/engine-channel.js";
import { configOf } from "./config-of.js";
import { countedChannels } from "./counted-channels.js";
import { decodeJsonb } from "../../serde/jsonb/decode-jsonb.js";
import { decodeValue, INLINE_REFUSAL, type ValueReader } from "./decode-value.js";
import type { StoredWrite, TupleParts } from "./group-rows.js";
import { type CheckpointHeader, parseHeader, parseStoredMetadata } from "./parse-header.js";
import { portableSends } from "./portable-sends.js";

/**
 * Finds the inline values of channels in the headers of a checkpoint's ancestors, as JSON text by channel.
 *
 * @param versions - The version of each channel.
 */
export type InlineOfAncestors = (
  key: CheckpointKey,
  versions: ReadonlyMap<string, string | number>,
) => Promise<ReadonlyMap<string, string>>;

/** What decodes tuples. */
export interface TupleReader extends ValueReader {
  readonly inlineOfAncestors: InlineOfAncestors;
}

/**
 * Builds a tuple from its rows.
 *
 * @throws DeserializationError naming the channel of a value that can't be read.
 * @throws CorruptCheckpointError where a row is not a checkpoint.
 */
export async function decodeTuple(
  parts: TupleParts,
  selection: TupleSelection,
  reader: TupleReader,
): Promise<CheckpointTuple> {
  const { key, parentCheckpointId } = parts;
  // All values at once, because a serializer may work on other threads.
  const [header, metadata, pendingWrites, sends] = await Promise.all([
    decodeJsonb(parts.checkpoint, key, "header"),
    decodeJsonb(parts.metadata, key),
    decodeWrites(parts, reader),
    decodeSends(parts, reader),
  ]);
  const checkedMetadata = parseStoredMetadata(metadata, key);
  const selected = selectInline(parseHeader(header, key), selection);
  const lacking = lackingVersions(selected, checkedMetadata, { parts, selection });
  const complete =
    lacking.size === 0 ? selected : await withInlineOfAncestors(selected, lacking, { parts, reader });
  const checkpoint = await decodeCheckpoint(complete, parts, reader);
  const tuple: CheckpointTuple = {
    config: configOf(key),
    checkpoint: sends.length === 0 ? checkpoint : withSends(checkpoint, sends),
    metadata: checkedMetadata,
  };
  // Omitted rather than empty, because an empty list says that there are none.
  if (selection.writes) tuple.pendingWrites = pendingWrites;
  if (parentCheckpointId !== null) {
    tuple.parentConfig = configOf({ ...key, checkpointId: parentCheckpointId });
  }
  return tuple;
}

/** Removes the values in the header that were not selected. The database has not sent the other ones. */
function selectInline(header: CheckpointHeader, { channels }: TupleSelection): CheckpointHeader {
  if (channels === undefined) return header;
  const wanted = Object.entries(header.channel_values ?? {}).filter(([channel]) =>
    channels.includes(channel),
  );
  return { ...header, channel_values: Object.fromEntries(wanted) };
}

interface LackingContext {
  readonly parts: TupleParts;
  readonly selection: TupleSelection;
}

/**
 * The selected channels of the state that have a version, but no value and no row which says that they are empty. An ancestor's header may
 * have the value. LangGraph rebuilds the value of a delta channel from writes.
 */
function lackingVersions(
  { channel_versions, channel_values }: CheckpointHeader,
  metadata: object,
  { parts: { blobOf, parentCheckpointId }, selection: { channels } }: LackingContext,
): ReadonlyMap<string, string | number> {
  if (parentCheckpointId === null) return NONE_LACK;
  const lacking = Object.entries(channel_versions ?? {}).flatMap(([channel, version]) => {
    const isKnown =
      blobOf(channel, String(version)) !== undefined || Object.hasOwn(channel_values ?? {}, channel);
    const isWanted = channels?.includes(channel) ?? true;
    return isKnown || !isWanted || isEngineChannel(channel) ? [] : [[channel, version] as const];
  });
  if (lacking.length === 0) return NONE_LACK;
  const deltas = countedChannels({ metadata });
  return new Map(lacking.filter(([channel]) => !deltas.has(channel)));
}

const NONE_LACK: ReadonlyMap<string, string | number> = new Map();

interface AncestorsContext {
  readonly parts: TupleParts;
  readonly reader: TupleReader;
}

async function withInlineOfAncestors(
  header: CheckpointHeader,
  versions: ReadonlyMap<string, string | number>,
  { parts: { key }, reader }: AncestorsContext,
): Promise<CheckpointHeader> {
  if (reader.serde.refusesPlaintext === true) return header;
  const found = [...(await reader.inlineOfAncestors(key, versions))];
  const values = await Promise.all(
    found.map(
      async ([channel, json]) => [channel, await decodeJsonb(json, { ...key, channel }, "header")] as const,
    ),
  );
  return { ...header, channel_values: { ...header.channel_values, ...Object.fromEntries(values) } };
}

async function decodeCheckpoint(
  header: CheckpointHeader,
  { key, blobOf }: TupleParts,
  reader: ValueReader,
): Promise<Checkpoint> {
  const { threadId, checkpointNs } = key;
  const channel_versions = header.channel_versions ?? {};
  const channels: string[] = [];
  const stored: Promise<unknown>[] = [];
  for (const [channel, versionInHeader] of Object.entries(channel_versions)) {
    const version = String(versionInHeader);
    const blob = blobOf(channel, version);
    if (blob === undefined || blob.type === "empty") continue;
    channels.push(channel);
    stored.push(decodeValue(reader, blob, { threadId, checkpointNs, channel, version }, { ...key, channel }));
  }
  const decoded = await Promise.all(stored);
  const values = Object.fromEntries(
    channels.map((channel, index) => {
      const value = fromStoredBarrier(channel, decoded[index]);
      return [channel, portableSends(channel, value)];
    }),
  );
  if (reader.serde.refusesPlaintext === true) refuseInline(header, values, key);
  return {
    ...header,
    channel_versions,
    versions_seen: header.versions_seen ?? {},
    // Python's saver keeps scalars inline, and leaves a marker where the value is in a blob. The blob takes
    // precedence.
    channel_values: { ...header.channel_values, ...values },
  };
}

/**
 * Inline values that somebody could have stored without the encryption key. A marker beside a blob is not read, so it
 * may stay.
 */
function refuseInline(
  { channel_values }: CheckpointHeader,
  stored: Readonly<Record<string, unknown>>,
  location: CheckpointKey,
): void {
  const channel = Object.keys(channel_values ?? {}).find((name) => !Object.hasOwn(stored, name));
  if (channel !== undefined) throw new DeserializationError(INLINE_REFUSAL, { ...location, channel });
}

function decodeWrites({ key, writes }: TupleParts, reader: ValueReader): Promise<CheckpointPendingWrite[]> {
  return Promise.all(
    writes.map(async (write): Promise<CheckpointPendingWrite> => {
      const { taskId, channel } = write;
      const value = await decodeValue(reader, write, contextOf(write, key), { ...key, channel });
      return [taskId, channel, portableSends(channel, value)];
    }),
  );
}

/** The writes are stored beside the parent. */
function decodeSends(
  { key, parentCheckpointId, sends }: TupleParts,
  reader: ValueReader,
): Promise<unknown[]> {
  const parent = { ...key, checkpointId: parentCheckpointId ?? "" };
  return Promise.all(
    sends.map((send) => decodeValue(reader, send, contextOf(send, parent), { ...key, channel: TASKS })),
  );
}

function contextOf({ channel, taskId, idx }: StoredWrite, key: CheckpointKey): PendingWriteContext {
  const { threadId, checkpointNs, checkpointId } = key;
  return { threadId, checkpointNs, channel, checkpointId, taskId, idx };
}

/** Before version 4 of the format, the sends of a checkpoint were writes of its parent. */
function withSends(checkpoint: Checkpoint, sends: readonly unknown[]): Checkpoint {
  const versions = Object.values(checkpoint.channel_versions);
  const version = versions.length === 0 ? FIRST_VERSION : maxChannelVersion(...versions);
  return {
    ...checkpoint,
    channel_versions: { ...checkpoint.channel_versions, [TASKS]: version },
    channel_values: { ...checkpoint.channel_values, [TASKS]: portableSends(TASKS, sends) },
  };
}
