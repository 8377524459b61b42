import { CheckpointError, DeserializationError, type ErrorLocation } from "../../errors/index.js";
import type { ContextualSerializer, ValueContext } from "../../serde/serde-context.js";
import type { StoredValue } from "./stored-value.js";

const NO_BYTES = new Uint8Array();

/** The tag of rows without one, which the first versions of the official savers wrote. */
const UNTAGGED = "json";

/** The error for a plain JSON value in a header, where the serializer refuses plaintext. */
export const INLINE_REFUSAL =
  "the value is not encrypted: it stands in the header of its checkpoint, and the serializer is a strict one";

/** What decodes values. */
export interface ValueReader {
  readonly serde: ContextualSerializer;
  /** Fetches the bytes of a value that was too long to come with its row, in this version of the row. */
  readonly fetch: (place: ValueContext, rowVersion: string) => Promise<Uint8Array>;
  /** The same object for all values of one result. See `read` of `ValueContext`. */
  readonly read: object;
}

/**
 * Decodes a stored value with the serializer.
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
