import { CheckpointError, DeserializationError, type ErrorLocation } from "../../errors/index.js";
import type { ContextualSerializer, ValueContext } from "../../serde/serde-context.js";
import type { StoredValue } from "./stored-value.js";

const NO_BYTES = new Uint8Array();

/** The tag of rows that the first versions of the official savers wrote without one. */
const UNTAGGED = "json";

/** Why a value that stands as plain JSON in a header is not read by a serializer that refuses plaintext. */
export const INLINE_REFUSAL =
  "the value is not encrypted: it stands in the header of its checkpoint, and the serializer is a strict one";

/** What values are read with. */
export interface ValueReader {
  readonly serde: ContextualSerializer;
  /** Brings the bytes of a value that were too many to come with its row, which is of this version. */
  readonly fetch: (place: ValueContext, rowVersion: string) => Promise<Uint8Array>;
  /** The same object for all values that are returned together; see `read` of `ValueContext`. */
  readonly read: object;
}

/**
 * Has a serializer decode a stored value.
 *
 * @throws DeserializationError naming the thread, the checkpoint and the channel.
 */
export async function decodeValue(
  { serde, fetch, read }: ValueReader,
  { type, blob, rowVersion }: StoredValue,
  context: ValueContext,
  location: ErrorLocation,
): Promise<unknown> {
  try {
    const bytes = rowVersion === undefined ? (blob ?? NO_BYTES) : await fetch(context, rowVersion);
    const value: unknown = await serde.loadsTyped(type ?? UNTAGGED, bytes, { ...context, read });
    return value;
  } catch (error) {
    if (error instanceof DeserializationError) throw error.at(location);
    if (error instanceof CheckpointError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    throw new DeserializationError(problem, { ...location, typeTag: type ?? undefined, cause: error });
  }
}
