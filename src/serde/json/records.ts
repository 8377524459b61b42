import type { JsonObject, JsonValue } from "./json-value.js";

/** The key under which LangChain's core wraps a plain object with a key `lc` inside kwargs. */
export const LC_ESCAPED_KEY = "__lc_escaped__";

/** The record for `undefined`. */
export function undefinedRecord(): JsonObject {
  return { lc: 2, type: "undefined" };
}

/**
 * A record `{lc: 2, type: "constructor", …}` in the layout of the official serializer. The official reader revives Set, Map,
 * RegExp, Error and Uint8Array, and returns a record with any other name as a plain object.
 */
export function constructorRecord(
  name: string,
  args: JsonValue[],
  kwargs: JsonObject = {},
  method: string | null = null,
): JsonObject {
  return { lc: 2, type: "constructor", id: [name], method, args, kwargs };
}

/** Whether JSON is the record of a whole object by its entries, as which earlier builds stored the value of an item. */
export function isRecordOfEntries({ lc, type, id }: JsonObject): boolean {
  return lc === 2 && type === "constructor" && Array.isArray(id) && id.length === 1 && id[0] === "Object";
}

/** The argument of a record, if it has exactly one. */
export function onlyArgumentOf({ args }: JsonObject): JsonValue | undefined {
  return Array.isArray(args) && args.length === 1 ? args[0] : undefined;
}

const RECORD_TYPES: Record<1 | 2, readonly unknown[]> = {
  1: ["constructor", "secret", "not_implemented"],
  2: ["constructor", "undefined", "delta_snapshot"],
};

/** Whether this reader or the official one would take a plain object with these properties for a record. */
export function looksLikeRecord(lc: unknown, type: unknown): boolean {
  return (lc === 1 || lc === 2) && RECORD_TYPES[lc].includes(type);
}

/** The records that LangChain's objects were read from, in items of a store. */
const records = new WeakMap<object, JsonObject>();

/** Remembers the record that an object was read from, which another library may have written in another way. */
export function rememberRecordReadFrom<T extends object>(value: T, record: JsonObject): T {
  records.set(value, record);
  return value;
}

/** The record that an object was read from. The object may have been changed since. */
export function recordReadFrom(value: object): JsonObject | undefined {
  return records.get(value);
}
