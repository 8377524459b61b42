import { encodeJson } from "../json/encode-json.js";
import type { JsonValue } from "../json/json-value.js";
import { guardRead } from "../guard-read.js";

/**
 * Encodes a value as JSON data that JSONB stores without a change.
 *
 * @param path - The name of the whole value in error messages, such as `metadata`.
 * @param keepsKeys - Whether filters find every plain object by its keys. Such JSON is read as that of an `item`.
 * @throws SerializationError that names the path of a part that can't be stored.
 */
export function encodeJsonb(value: unknown, path: string, keepsKeys = false): JsonValue {
  return guardRead(() => encodeJson(value, { jsonb: true, keepsKeys, path }), {}, path);
}
