import type { JsonObject, JsonValue } from "./json-value.js";

/** The key under which LangChain's core wraps a plain object that has a key `lc`, inside the kwargs of its objects. */
export const LC_ESCAPED_KEY = "__lc_escaped__";

/** The record for `undefined`. */
export function undefinedRecord(): JsonObject {
  return { lc: 2, type: "undefined" };
}

/**
 * A record `{lc: 2, type: "constructor", …}` in the layout of the official serializer. That one revives Set, Map,
 * RegExp, Error and Uint8Array, and leaves any other name as the plain object that it is.
 */
export function constructorRecord(
  name: string,
  args: JsonValue[],
  kwargs: JsonObject = {},
  method: string | null = null,
): JsonObject {
  return { lc: 2, type: "constructor", id: [name], method, args, kwargs };
}

const RECORD_TYPES: Record<1 | 2, readonly unknown[]> = {
  1: ["constructor", "secret", "not_implemented"],
  2: ["constructor", "undefined", "delta_snapshot"],
};

/** Whether a user's own plain object would be taken for a record, by this reader or by the official one. */
export function looksLikeRecord(lc: unknown, type: unknown): boolean {
  return (lc === 1 || lc === 2) && RECORD_TYPES[lc].includes(type);
}
