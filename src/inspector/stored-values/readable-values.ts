import { decodeWrite } from "../../audit/writes-of.js";
import { DeserializationError, isUnreadable } from "../../errors/index.js";
import { valueReader } from "../../saver/read-long-values.js";
import type { CheckpointPlace, NamespacePlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { configOfPlace } from "./read-stored-value.js";

// A value that this saver can't read, for example for want of a key, must not hide the others.

/**
 * Reads the values of a checkpoint. Returns `undefined` where one can't be read.
 *
 * @param channels - Default: all.
 */
export async function readableValues(
  { context, signal }: Pick<CallRun, "context" | "signal">,
  place: CheckpointPlace,
  channels: readonly string[] | undefined,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const options = { writes: false, signal, ...(channels !== undefined && { channels }) };
    const tuple = await context.saver.getTuple(configOfPlace(place), options);
    return tuple?.checkpoint.channel_values ?? {};
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** Decodes a write. Returns `undefined` where its value can't be read. */
export async function readableWrite(
  { context, call }: Pick<CallRun, "context" | "call">,
  { threadId, namespace }: NamespacePlace,
  row: Parameters<typeof decodeWrite>[0],
): Promise<{ readonly value: unknown } | undefined> {
  try {
    const reader = valueReader(call, context.saver.serde);
    return { value: await decodeWrite(row, { threadId, checkpointNs: namespace }, reader) };
  } catch (error) {
    if (error instanceof DeserializationError) return undefined;
    throw error;
  }
}
