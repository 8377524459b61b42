import { decodeWrite } from "../../audit/writes-of.js";
import { CheckpointNotFoundError, InvalidConfigError } from "../../errors/index.js";
import { valueReader, readUnreplaced } from "../../saver/read-long-values.js";
import type { CheckpointPlace, ValuePlace } from "../api/places.js";
import type { CreatedCheckpoint } from "../api/changes.js";
import type { CallRun } from "../calls/call-definition.js";
import { readEntryValue } from "../cache/read-entries.js";
import type { InspectorContext } from "../inspector-context.js";
import { storeOf } from "../memory/item-stores.js";
import {
  type ChannelPlace,
  getChannelRow,
  getWrite,
  getWriteVersion,
  type WritePlace,
} from "../queries/value-rows.js";
import { RememberedValues } from "./remembered-values.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import { foldMessages } from "../values/fold-messages.js";

/** The values of each inspector. A saver is for one tenant, so tenants don't share them either. */
const remembered = new WeakMap<InspectorContext, RememberedValues>();

/**
 * Reads the stored value of a place. Of a delta channel it rebuilds the messages.
 *
 * @throws InvalidConfigError where there is no such value.
 * @throws CheckpointNotFoundError where there is no such checkpoint.
 */
export async function readStoredValue(run: CallRun, place: ValuePlace): Promise<unknown> {
  switch (place.kind) {
    case "channel": {
      const found = await findChannelValue(run, place);
      return found === undefined ? rebuildMessages(run, place) : found.value;
    }
    case "write":
      return readWrite(run, place);
    case "metadata": {
      const options = { values: false, signal: run.signal };
      const tuple = await run.context.saver.getTuple(configOfPlace(place), options);
      if (tuple === undefined) throw checkpointNotFound(place);
      return tuple.metadata;
    }
    case "item": {
      const store = await storeOf(run.context, run.signal);
      const item = await store.get([...place.namespace], place.key, { signal: run.signal });
      if (item === null) throw missing("key", "there is no such item");
      return item.value;
    }
    case "entry": {
      const found = await readEntryValue(run, place);
      if (found === undefined) throw missing("key", "there is no such entry");
      return found.value;
    }
  }
}

/** Reads the value of a channel. Returns `undefined` where none is stored. */
export async function findChannelValue(
  { context, call, signal }: Pick<CallRun, "context" | "call" | "signal">,
  place: ChannelPlace,
): Promise<{ readonly value: unknown } | undefined> {
  const row = await getChannelRow(call, place);
  if (row === undefined) throw checkpointNotFound(place);
  if (!row.is_inline && (row.value_row === null || row.is_empty)) return undefined;
  const { threadId, namespace, checkpointId, channel } = place;
  const key = [threadId, namespace, channel, row.version, row.value_row ?? [checkpointId, row.header_row]];
  // Not with the request's signal, since other requests may wait for the same value.
  const read = async (ending: AbortSignal): Promise<unknown> => {
    const options = { channels: [channel], writes: false, signal: ending };
    const tuple = await context.saver.getTuple(configOfPlace(place), options);
    if (tuple === undefined) throw checkpointNotFound(place);
    return tuple.checkpoint.channel_values[channel];
  };
  return { value: await valuesOf(context).get(JSON.stringify(key), read, signal) };
}

async function readWrite({ context, call, signal }: CallRun, place: WritePlace): Promise<unknown> {
  const version = await getWriteVersion(call, place);
  if (version === undefined) throw missing("idx", "there is no such write");
  const { threadId, namespace, checkpointId, taskId, idx } = place;
  const key = [threadId, namespace, checkpointId, taskId, idx, version];
  const read = (ending: AbortSignal): Promise<unknown> => {
    const shared = { ...context.call, signal: ending };
    return readUnreplaced(async () => {
      const row = await getWrite(shared, place);
      if (row === undefined) throw missing("idx", "there is no such write");
      const reader = valueReader(shared, context.saver.serde);
      return decodeWrite(row, { threadId, checkpointNs: namespace }, reader);
    });
  };
  return valuesOf(context).get(JSON.stringify(key), read, signal);
}

/** The values that an inspector remembers. */
function valuesOf(context: InspectorContext): RememberedValues {
  const known = remembered.get(context);
  if (known !== undefined) return known;
  const values = new RememberedValues();
  remembered.set(context, values);
  return values;
}

/** Returns the error for a checkpoint that is not stored. */
export function checkpointNotFound({
  threadId,
  namespace,
  checkpointId,
}: CheckpointPlace): CheckpointNotFoundError {
  return new CheckpointNotFoundError({ threadId, checkpointNs: namespace, checkpointId });
}

function missing(field: string, problem: string): InvalidConfigError {
  return new InvalidConfigError(`args.place.${field}`, problem);
}

/** Returns the checkpoint that a call of the saver or of a graph has created, by its config. */
export function createdCheckpoint({ configurable }: RunnableConfig): CreatedCheckpoint {
  const id: unknown = configurable?.checkpoint_id;
  return { checkpointId: typeof id === "string" ? id : "" };
}

/** The config of a checkpoint. */
export function configOfPlace({ threadId, namespace, checkpointId }: CheckpointPlace): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId } };
}

/**
 * Rebuilds the messages of a delta channel, which stores no list of them.
 *
 * @throws InvalidConfigError where the channel has no value, or something else than messages.
 */
export async function rebuildMessages(
  { context, signal }: Pick<CallRun, "context" | "signal">,
  { channel, ...place }: ChannelPlace,
): Promise<readonly unknown[]> {
  const config = configOfPlace(place);
  const histories = await context.saver.getDeltaChannelHistory({ config, channels: [channel], signal });
  const { seed, writes = [] } = histories[channel] ?? {};
  if (seed === undefined && writes.length === 0) {
    throw new InvalidConfigError("args.channel", "has no value at this checkpoint");
  }
  const messages = await foldMessages({ seed, writes }, signal);
  if (messages !== undefined) return messages;
  throw new InvalidConfigError(
    "args.channel",
    `is a delta channel, whose value is not stored: its graph rebuilds it from ${writes.length} writes, some of which are no messages`,
  );
}
