import { encodeJson } from "../json/encode-json.js";
import type { JsonValue } from "../json/json-value.js";
import { guardRead } from "../guard-read.js";

/**
 * A value as JSON data that JSONB holds exactly.
 *
 * @param path - What errors call the value as a whole, such as `metadata`.
 * @throws SerializationError naming the path of what can't be stored.
 */
export function encodeJsonb(value: unknown, path: string): JsonValue {
  return guardRead(() => encodeJson(value, { jsonb: true, path }), {}, path);
}
