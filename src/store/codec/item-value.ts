import { types } from "node:util";
import { DeserializationError } from "../../errors/index.js";
import { guardRead } from "../../serde/guard-read.js";
import { encodeJsonb } from "../../serde/jsonb/encode-jsonb.js";
import { textOf, parseJsonText } from "../../serde/json/json-text.js";
import { isPlainObject } from "../../serde/plain-object.js";

/**
 * Encodes the value of an item as JSON text for JSONB. Data of JSON is stored as it is, a Date as ISO text, and properties that are
 * `undefined` are left out, as in `JSON.stringify`. What JSON lacks, such as bytes, is stored in the records of LangChain.
 *
 * @throws SerializationError naming the path of a part that would not be read back equal.
 */
export function encodeItemValue(value: Readonly<Record<string, unknown>>): string {
  return textOf(
    encodeJsonb(
      guardRead(() => toJsonData(value), {}, "value"),
      "value",
    ),
    "value",
  );
}

/**
 * Decodes the value of an item from the text of its column.
 *
 * @throws DeserializationError for a value that can't be read.
 */
export async function decodeItemValue(text: string): Promise<Record<string, unknown>> {
  const value: unknown = await parseJsonText(text, "jsonb");
  if (isRecord(value)) return value;
  throw new DeserializationError("the value of the item is not an object", { typeTag: "jsonb" });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** What `JSON.stringify` would make of dates, of objects with a `toJSON`, and of properties that are undefined. */
function toJsonData(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toJsonData);
  if (isPlainObject(value)) {
    const given = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return Object.fromEntries(given.map(([key, inner]) => [key, toJsonData(inner)]));
  }
  return hasJsonForm(value) ? toJsonData(value.toJSON()) : value;
}

/** LangChain's objects, bytes and invalid dates have a `toJSON` too, but are encoded so that they are read back as what they are. */
function hasJsonForm(value: object): value is { toJSON(): unknown } {
  if (!("toJSON" in value) || typeof value.toJSON !== "function") return false;
  if (ArrayBuffer.isView(value) || "lc_serializable" in value) return false;
  return !types.isDate(value) || !Number.isNaN(value.getTime());
}
