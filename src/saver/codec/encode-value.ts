import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { CheckpointError, type ErrorLocation, SerializationError } from "../../errors.js";

/** A value as a serializer wrote it. */
export interface EncodedValue {
  readonly type: string;
  readonly blob: Uint8Array;
}

/**
 * Has a serializer encode a value. It is called before this function first awaits, so that what the caller changes
 * afterwards is not stored.
 *
 * @throws SerializationError naming the channel and the path of what can't be stored.
 */
export async function encodeValue(
  serde: SerializerProtocol,
  value: unknown,
  location: ErrorLocation,
): Promise<EncodedValue> {
  try {
    const [type, bytes] = await serde.dumpsTyped(value);
    return { type, blob: sharesMemory(bytes, value) ? bytes.slice() : bytes };
  } catch (error) {
    if (error instanceof SerializationError) throw error.at(location);
    if (error instanceof CheckpointError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    throw new SerializationError("", problem, { ...location, cause: error });
  }
}

// A serializer may hand bytes back as they are, and a connection may have to be waited for before they are sent.
function sharesMemory(bytes: Uint8Array, value: unknown): boolean {
  return ArrayBuffer.isView(value) && value.buffer === bytes.buffer;
}
