import type { JsonValue } from "./json-value.js";
import { Place } from "./place.js";
import { TreeEncoder } from "./tree-encoder.js";

/** Options of {@link encodeJson}. */
export interface EncodeJsonOptions {
  /** The name of the whole value in error messages, such as `metadata`. Empty by default. */
  readonly path?: string;
  /** Whether the JSON is stored in a JSONB column, which refuses U+0000 and lone surrogates. False by default. */
  readonly jsonb?: boolean;
  /**
   * Whether every plain object is written as an object with its keys, so that filters of JSONB find it by them. Such JSON is read as
   * that of an `item`. False by default: an object that the official reader would change is written as a record of its entries.
   */
  readonly keepsKeys?: boolean;
}

/**
 * Encodes a value as plain JSON data in the layout of the official JavaScript serializer, so that both can read it. LangChain
 * objects become `{lc: 1, …}` records, and values that JSON lacks become `{lc: 2, …}` records. Values that the official layout
 * would silently change are written as further `{lc: 2, …}` records, which the official reader returns as data. The result shares
 * no array or object with the value.
 *
 * @param value - the value
 * @param options - the name in error messages, and whether the JSON is stored in a JSONB column
 * @throws {@link SerializationError} for a value that would not be read back equal: a function, a symbol, a cycle, an
 *   instance of an unknown class
 *
 * @example
 * ```ts
 * encodeJson({ tags: new Set(["a"]) });
 * // { tags: { lc: 2, type: "constructor", id: ["Set"], method: null, args: [["a"]], kwargs: {} } }
 * ```
 */
export function encodeJson(value: unknown, options: EncodeJsonOptions = {}): JsonValue {
  const encoder = new TreeEncoder(options);
  const root = Place.root(options.path ?? "");
  try {
    return encoder.encode(value, root);
  } catch (error) {
    // The caller may have used up most of the stack.
    if (error instanceof RangeError) throw root.error("is nested too deep for the stack", error);
    throw error;
  }
}
