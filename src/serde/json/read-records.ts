import type { JsonObject } from "./json-value.js";

/** The records that LangChain's objects were read from, in items of a store. */
const records = new WeakMap<object, JsonObject>();

/** Remembers the record that an object was read from, which another library may have written in another way. */
export function rememberRecord<T extends object>(value: T, record: JsonObject): T {
  records.set(value, record);
  return value;
}

/** The record that an object was read from. The object may have been changed since. */
export function recordOf(value: object): JsonObject | undefined {
  return records.get(value);
}
