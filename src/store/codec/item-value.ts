import { DeserializationError, SerializationError } from "../../errors/index.js";
import { parseJsonText } from "../../serde/json/json-text.js";
import type { ContextualSerializer, ItemContext } from "../../serde/serde-context.js";
import type { Sealing } from "../model/sealing.js";
import { itemData, itemText } from "./item-data.js";

/**
 * The key of a stored value that holds the bytes of a serializer. Searches by text leave it out; see `itemTexts`.
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
  if (sealing === undefined) return itemText(value, "value");
  const { serde, visibleKeys } = sealing;
  const [type, bytes] = await serde.dumpsTyped(itemData(value, "value"), place);
  const visible = Object.entries(value).filter(([key]) => visibleKeys.has(key));
  const sealed = { type, data: Buffer.from(bytes).toString("base64") };
  return itemText({ ...Object.fromEntries(visible), [SEALED]: sealed }, "value");
}

/**
 * Decodes the value of an item from the text of its column.
 *
 * @returns The value, or a promise of it where a serializer is needed.
 * @throws DeserializationError for a value that can't be read, that needs a serializer that the store does not have, or that is not
 *   encrypted although the serializer requires it.
 */
export function decodeItemValue(
  text: string,
  place: ItemContext,
  sealing: Sealing | undefined,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const stored = parseJsonText(text, "item");
  const isPlain = sealing === undefined && isRecord(stored) && !(stored instanceof Promise);
  return isPlain && !Object.hasOwn(stored, SEALED) ? stored : unsealed(stored, place, sealing?.serde);
}

async function unsealed(
  given: unknown,
  place: ItemContext,
  serde: ContextualSerializer | undefined,
): Promise<Record<string, unknown>> {
  const stored = await given;
  const sealed = isRecord(stored) ? stored[SEALED] : undefined;
  const value = sealed === undefined ? plain(stored, serde) : await unseal(sealed, place, serde);
  if (isRecord(value)) return value;
  throw new DeserializationError("the value of the item is not an object", { typeTag: "jsonb" });
}

function plain(stored: unknown, serde: ContextualSerializer | undefined): unknown {
  if (serde?.refusesPlaintext !== true) return stored;
  throw new DeserializationError("the value is not encrypted", { typeTag: "jsonb" });
}

async function unseal(
  sealed: unknown,
  place: ItemContext,
  serde: ContextualSerializer | undefined,
): Promise<unknown> {
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
