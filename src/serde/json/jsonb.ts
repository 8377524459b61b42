import { encodeJson } from "./encode-json.js";
import type { JsonValue } from "./json-value.js";
import { guardRead } from "../objects/inspect-object.js";
import { DeserializationError, type ErrorLocation } from "../../errors/index.js";
import { parseJsonText } from "./json-text.js";
import { isReadAsBigInt } from "./scalars.js";

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

/**
 * Decodes a value from the text of a JSONB column.
 *
 * @param origin - `header` for the header of a checkpoint and its parts, in which large integers are BigInts.
 * @throws DeserializationError that names the row.
 */
export async function decodeJsonb(
  text: string,
  location: ErrorLocation,
  origin: "jsonb" | "header" = "jsonb",
): Promise<unknown> {
  try {
    return await parseJsonText(text, origin);
  } catch (error) {
    throw error instanceof DeserializationError ? error.at(location) : error;
  }
}

/** The record of a BigInt in the JSON text of `encodeJsonb`. Strings can't contain it, because their quotes are escaped. */
const BIG_INTEGER_RECORD =
  /\{"lc":2,"type":"constructor","id":\["BigInt"\],"method":null,"args":\["(-?\d+)"\],"kwargs":\{\}\}/g;

/**
 * Writes as numbers the integers that `encodeJsonb` writes as records although a reader of JSONB recognizes them: those that no double can
 * hold. So programs in other languages get the 64-bit integers back that they stored, and comparisons find them.
 *
 * @example
 * ```ts
 * withPlainNumbers('{"lc":2,"type":"constructor","id":["BigInt"],"method":null,"args":["9007199254740993"],"kwargs":{}}'); // 9007199254740993
 * ```
 */
export function withPlainNumbers(text: string): string {
  return text.replace(BIG_INTEGER_RECORD, (record, digits: string) =>
    isReadAsBigInt(digits, "jsonb") ? digits : record,
  );
}
