import { types } from "node:util";
import { DeserializationError, SerializationError } from "../../errors/index.js";
import { guardRead } from "../../serde/guard-read.js";
import { encodeJsonb } from "../../serde/jsonb/encode-jsonb.js";
import { textOf, parseJsonText } from "../../serde/json/json-text.js";
import { isPlainObject } from "../../serde/plain-object.js";
import type { ContextualSerializer, ItemContext } from "../../serde/serde-context.js";
import type { Sealing } from "../model/sealing.js";

/**
 * The key of a stored value that holds the bytes of a serializer. Its index of texts leaves it out; see the migration
 * `store-0002-create-indexes`.
 */
export const SEALED = "__sealed__";

/**
 * Encodes the value of an item as JSON text for JSONB. With `sealing`, its serializer encodes the value, and the item holds the bytes
 * and the visible keys.
 *
 * @throws SerializationError naming the path of a part that would not be read back equal.
 */
export async function encodeItemValue(
  value: Readonly<Record<string, unknown>>,
  place: ItemContext,
  sealing: Sealing | undefined,
): Promise<string> {
  if (Object.hasOwn(value, SEALED)) throw new SerializationError("value", `the key "${SEALED}" is reserved`);
  if (sealing === undefined) return encodeJsonValue(value);
  const { serde, visibleKeys } = sealing;
  const [type, bytes] = await serde.dumpsTyped(itemData(value), place);
  const visible = Object.entries(value).filter(([key]) => visibleKeys.has(key));
  const sealed = { type, data: Buffer.from(bytes).toString("base64") };
  return encodeJsonValue({ ...Object.fromEntries(visible), [SEALED]: sealed });
}

/**
 * Encodes a value as JSON text. Data of JSON is stored as it is, a Date as ISO text, and properties that are
 * `undefined` are left out, as in `JSON.stringify`. What JSON lacks, such as bytes, is stored in the records of LangChain.
 *
 * @throws SerializationError naming the path of a part that would not be read back equal.
 */
function encodeJsonValue(value: Readonly<Record<string, unknown>>): string {
  return textOf(encodeJsonb(itemData(value), "value"), "value");
}

/** The value of an item with its dates as ISO texts and without what is undefined, as its texts are taken from it. */
export function itemData(value: Readonly<Record<string, unknown>>): unknown {
  return guardRead(() => toJsonData(value), {}, "value");
}

/**
 * Decodes the value of an item from the text of its column.
 *
 * @throws DeserializationError for a value that can't be read, that needs a serializer that the store does not have, or that is not
 *   encrypted although the serializer requires it.
 */
export async function decodeItemValue(
  text: string,
  place: ItemContext,
  sealing: Sealing | undefined,
): Promise<Record<string, unknown>> {
  const stored: unknown = await parseJsonText(text, "jsonb");
  const value = await unsealed(stored, place, sealing?.serde);
  if (isRecord(value)) return value;
  throw new DeserializationError("the value of the item is not an object", { typeTag: "jsonb" });
}

async function unsealed(
  stored: unknown,
  place: ItemContext,
  serde: ContextualSerializer | undefined,
): Promise<unknown> {
  const sealed = isRecord(stored) ? stored[SEALED] : undefined;
  if (sealed === undefined) {
    if (serde?.refusesPlaintext !== true) return stored;
    throw new DeserializationError("the value is not encrypted", { typeTag: "jsonb" });
  }
  const { type, data } = isRecord(sealed) ? sealed : {};
  if (typeof type !== "string" || typeof data !== "string") {
    throw new DeserializationError(`the key "${SEALED}" holds no encoded value`, { typeTag: "jsonb" });
  }
  if (serde === undefined) {
    throw new DeserializationError("the value needs the serializer that stored it: pass it as `serde`", {
      typeTag: type,
    });
  }
  return serde.loadsTyped(type, Buffer.from(data, "base64"), place);
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
