import type { JsonValue } from "./json-value.js";
import { Place } from "./place.js";
import { TreeEncoder } from "./tree-encoder.js";

/** How a value is encoded as JSON. */
export interface EncodeJsonOptions {
  /** What errors call the value as a whole, such as `metadata`; empty by default. */
  readonly path?: string;
  /** Whether the JSON goes into a JSONB column, which refuses U+0000 and lone surrogates; false by default. */
  readonly jsonb?: boolean;
}

/**
 * Turns a value into plain JSON data in the layout of the official JavaScript serializer, so that it can be read by
 * either: LangChain objects become `{lc: 1, …}` records, what JSON lacks becomes `{lc: 2, …}` records. What that
 * layout would silently change is written as further `{lc: 2, …}` records, which the official reader leaves alone.
 * The value is not changed, and shares no array or object with the result.
 *
 * @param value - the value
 * @param options - what errors call it, and whether it is meant for a JSONB column
 * @throws {@link SerializationError} for a value that would not read back equal: a function, a symbol, a cycle, an
 *   instance of an unknown class
 *
 * @example
 * ```ts
 * encodeJson({ tags: new Set(["a"]) });
 * // { tags: { lc: 2, type: "constructor", id: ["Set"], method: null, args: [["a"]], kwargs: {} } }
 * ```
 */
export function encodeJson(value: unknown, options: EncodeJsonOptions = {}): JsonValue {
  const encoder = new TreeEncoder(options.jsonb ?? false);
  const root = Place.root(options.path ?? "");
  try {
    return encoder.encode(value, root);
  } catch (error) {
    // The caller's own stack may be nearly full already.
    if (error instanceof RangeError) throw root.error("is nested too deep for the stack", error);
    throw error;
  }
}
