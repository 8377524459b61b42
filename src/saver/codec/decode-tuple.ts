import {
  type Checkpoint,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  maxChannelVersion,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import { DeserializationError } from "../../errors/index.js";
import type { PendingWriteContext } from "../../serde/serde-context.js";
import type { CheckpointKey } from "../model/keys.js";
import { FIRST_VERSION } from "./next-version.js";
import type { TupleSelection } from "../model/tuple-shape.js";
import { fromStoredBarrier, isOfEngine } from "./special-values.js";
import { configOf } from "../boundary/parse-config.js";
import { countedChannels, type CheckpointHeader, parseHeader, parseStoredMetadata } from "./parse-header.js";
import { decodeJsonb } from "../../serde/json/jsonb.js";
import { decodeValue, INLINE_REFUSAL, type ValueReader } from "./decode-value.js";
import type { StoredWrite, TupleParts } from "./group-rows.js";
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
  const inherited = await inlineOfAncestors(selected, checkedMetadata, { parts, selection, reader });
  const checkpoint = await decodeCheckpoint(selected, parts, { reader, inherited });
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

interface InheritingTuple {
  readonly parts: TupleParts;
  readonly selection: TupleSelection;
  readonly reader: TupleReader;
}

/** Reads values that a checkpoint lacks, by channel, from the headers of its ancestors; see `getInlineOfAncestors`. Few checkpoints lack any. */
async function inlineOfAncestors(
  header: CheckpointHeader,
  metadata: object,
  { parts, selection, reader }: InheritingTuple,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const lacking = lackingVersions(header, parts, selection);
  if (lacking === undefined || reader.serde.refusesPlaintext === true) return undefined;
  // LangGraph rebuilds the value of a delta channel from writes.
  for (const channel of countedChannels({ metadata }).keys()) lacking.delete(channel);
  if (lacking.size === 0) return undefined;
  const found = await reader.inlineOfAncestors(parts.key, lacking);
  const values = [...found].map(async ([channel, json]) => {
    return [channel, await decodeJsonb(json, { ...parts.key, channel }, "header")] as const;
  });
  return Object.fromEntries(await Promise.all(values));
}

/** Selects the channels of the state that have a version, but no value. */
function lackingVersions(
  { channel_versions, channel_values }: CheckpointHeader,
  { blobOf, parentCheckpointId }: TupleParts,
  { channels }: TupleSelection,
): Map<string, string | number> | undefined {
  if (parentCheckpointId === null) return undefined;
  const inline = channel_values ?? {};
  let lacking: Map<string, string | number> | undefined;
  for (const [channel, version] of Object.entries(channel_versions ?? {})) {
    if (isOfEngine(channel) || Object.hasOwn(inline, channel)) continue;
    if (blobOf(channel, String(version)) !== undefined) continue;
    if (channels?.includes(channel) ?? true) (lacking ??= new Map()).set(channel, version);
  }
  return lacking;
}

interface DecodingContext {
  readonly reader: ValueReader;
  readonly inherited: Readonly<Record<string, unknown>> | undefined;
}

async function decodeCheckpoint(
  header: CheckpointHeader,
  { key, blobOf }: TupleParts,
  { reader, inherited }: DecodingContext,
): Promise<Checkpoint> {
  const { threadId, checkpointNs } = key;
  const channel_versions = header.channel_versions ?? {};
  const channels: string[] = [];
  const stored: Promise<unknown>[] = [];
  for (const [channel, versionInHeader] of Object.entries(channel_versions)) {
    const version = String(versionInHeader);
    const blob = blobOf(channel, version);
    if (blob === undefined) continue;
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
    channel_values: { ...inherited, ...header.channel_values, ...values },
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
