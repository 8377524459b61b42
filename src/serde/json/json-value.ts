/** Plain JSON data: what `JSON.parse` returns. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. Its keys may be any strings, including `__proto__`. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Whether JSON data is an object: neither an array, nor null, nor a scalar. */
export function isJsonObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** Whether JSON data is an array of strings, such as the `id` of a record. */
export function isStringArray(json: JsonValue | undefined): json is string[] {
  return Array.isArray(json) && json.every((item) => typeof item === "string");
}

/**
 * The maximum nesting depth of JSON arrays and objects. The encoder, the decoder and `JSON.stringify` overflow the default stack
 * at about 4,000 levels; the limit leaves stack for a caller with deep calls of its own.
 */
export const MAX_JSON_DEPTH = 1_000;

/** The maximum number of digits of an integer: the limit of a JSONB column, which exceeds Python's limit. */
export const MAX_DIGITS = 131_072;
