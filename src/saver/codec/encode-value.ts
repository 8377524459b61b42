import { messageOfThrown } from "../../errors/thrown.js";
import { CheckpointError, type ErrorLocation, SerializationError } from "../../errors/index.js";
import { copyOrigin } from "../../serde/python/python-origin.js";
import type { ContextualSerializer, CheckpointValueContext } from "../../serde/serde-context.js";

/** A value as the serializer wrote it. */
export interface EncodedValue {
  readonly type: string;
  readonly blob: Uint8Array;
}

/** The largest value in bytes. Postgres limits a field and a message to 1 GiB, with the keys and the header. */
export const MAX_VALUE_BYTES = 2 ** 30 - 2 ** 16;

/**
 * Encodes a value with the serializer. It calls the serializer before it first awaits, so a later change by the
 * caller is not stored.
 *
 * @throws SerializationError naming the channel and the path of a value that can't be stored.
 */
export async function encodeValue(
  serde: ContextualSerializer,
  value: unknown,
  context: CheckpointValueContext,
  location: ErrorLocation,
): Promise<EncodedValue> {
  return encodeAt(location, () => serde.dumpsTyped(detached(value), context));
}

/**
 * Runs a function that encodes a value.
 *
 * @param encode - Called before this function first awaits.
 * @throws SerializationError with the location, also for an error of another kind, and for a value that is too long.
 */
export async function encodeAt(
  location: ErrorLocation,
  encode: () => Promise<readonly [type: string, blob: Uint8Array]>,
): Promise<EncodedValue> {
  try {
    const [type, blob] = await encode();
    if (blob.byteLength > MAX_VALUE_BYTES) throw tooLong(blob.byteLength);
    return { type, blob };
  } catch (error) {
    if (error instanceof SerializationError) throw error.at(location);
    if (error instanceof CheckpointError) throw error;
    const problem = messageOfThrown(error);
    throw new SerializationError("", problem, { ...location, cause: error });
  }
}

// A serializer may return the caller's own bytes, and they are sent only when a connection is free.
function detached(value: unknown): unknown {
  // Not the `slice` of the value's own class: that of Buffer shares memory.
  return value instanceof Uint8Array ? copyOrigin(value, Uint8Array.prototype.slice.call(value)) : value;
}

function tooLong(bytes: number): SerializationError {
  return new SerializationError(
    "",
    `the value takes ${bytes} bytes, and Postgres keeps ${MAX_VALUE_BYTES} at most in one`,
  );
}
