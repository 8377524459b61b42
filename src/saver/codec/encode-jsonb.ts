import { SerializationError } from "../../errors.js";
import { encodeJson } from "../../serde/json/encode-json.js";
import type { JsonValue } from "../../serde/json/json-value.js";

/**
 * A value as JSON data that JSONB holds exactly. A getter or a Proxy of the caller's may throw anything meanwhile.
 *
 * @param path - What errors call the value as a whole, such as `metadata`.
 * @throws SerializationError naming the path of what can't be stored.
 */
export function encodeJsonb(value: unknown, path: string): JsonValue {
  try {
    return encodeJson(value, { jsonb: true, path });
  } catch (error) {
    if (error instanceof SerializationError) throw error;
    throw new SerializationError(path, "the value could not be read", { cause: error });
  }
}
