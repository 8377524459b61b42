import { DeserializationError, SerializationError } from "../errors/index.js";
import { parseJsonText, jsonTextOf } from "../serde/json/json-text.js";
import type { ContextualSerializer, ItemContext } from "../serde/serde-context.js";
import { describeItem } from "../errors/store-errors.js";
import type { FoundItem, StoreItem } from "./item.js";
import { type StoreRow, toNamespace } from "./queries/item-rows.js";
import { types } from "node:util";
import { guardRead, isPlainObject } from "../serde/objects/inspect-object.js";
import { ESCAPED } from "../serde/json/escaped-keys.js";
import { isJsonObject, type JsonValue } from "../serde/json/json-value.js";
import { JsonPlace } from "../serde/json/encoder.js";
import { isRecordOfEntries } from "../serde/json/records.js";
import { encodeJsonb, withPlainNumbers } from "../serde/json/jsonb.js";

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

/**
 * Decodes a row of `store`.
 *
 * @throws DeserializationError naming the item, for a value that can't be read.
 */
export async function decodeItem(row: StoreRow, sealing: Sealing | undefined): Promise<StoreItem> {
  const place = { namespace: toNamespace(row.prefix), key: row.key };
  return {
    value: await valueOf(row, place, sealing),
    ...place,
    createdAt: new Date(Number(row.created_ms)),
    updatedAt: new Date(Number(row.updated_ms)),
    version: Number(row.version),
    ...(row.expires_ms !== null && { expiresAt: new Date(Number(row.expires_ms)) }),
  };
}

/** Decodes a row that a search has found. */
export async function decodeFound(
  row: StoreRow & { readonly score: number | null },
  sealing: Sealing | undefined,
): Promise<FoundItem> {
  const item = await decodeItem(row, sealing);
  return row.score === null ? item : { ...item, score: row.score };
}

async function valueOf(
  { value }: StoreRow,
  place: ItemContext,
  sealing: Sealing | undefined,
): Promise<Record<string, unknown>> {
  try {
    const decoded = decodeItemValue(value, place, sealing);
    return decoded instanceof Promise ? await decoded : decoded;
  } catch (cause) {
    if (!(cause instanceof DeserializationError)) throw cause;
    throw new DeserializationError(`${describeItem(place)}: ${cause.message}`, {
      cause,
      typeTag: cause.typeTag,
    });
  }
}

/**
 * Encodes the value of an item as the JSON text that a JSONB column holds. Data of JSON is stored as {@link itemData} has it, each object
 * with its keys. What JSON lacks, such as bytes, is stored in the records of LangChain.
 *
 * @param path - The name of the value in error messages.
 * @throws SerializationError naming the path of a part that would not be read back equal.
 */
export function itemText(value: unknown, path: string): string {
  const json = encodeJsonb(itemData(value, path), path, true);
  // A reader takes the whole of an item for data, without a mark.
  if (isJsonObject(json) && !isRecordOfEntries(json)) Reflect.deleteProperty(json, ESCAPED);
  return jsonText(json, path);
}

/** Encodes an operand of a filter as a part of an item is stored; see {@link itemText}. */
export function operandText(operand: unknown, path: string): string {
  return jsonText(encodeJsonb(itemData(operand, path), path, true), path);
}

function jsonText(json: JsonValue, path: string): string {
  return withPlainNumbers(jsonTextOf(json, path));
}

/**
 * The value of an item as `JSON.stringify` would see it: with its dates as ISO texts, without what is undefined, and with 0 for -0. Values
 * are stored as this data, and texts are embedded from it.
 *
 * @param path - The name of the value in error messages.
 * @throws SerializationError naming the path of a part that refers back to an object around it or is nested too deep.
 */
export function itemData(value: unknown, path: string): unknown {
  return guardRead(() => new DataReader().read(value, JsonPlace.root(path)), {}, path);
}

class DataReader {
  readonly #open = new Set<object>();
  /** Objects that several parts of the value share are read once. The value may have far more paths than objects. */
  readonly #known = new Map<object, unknown>();

  read(value: unknown, place: JsonPlace): unknown {
    if (Object.is(value, -0)) return 0;
    if (typeof value !== "object" || value === null) return value;
    if (this.#open.has(value)) throw place.cycle();
    place.assertDepth();
    if (this.#known.has(value)) return this.#known.get(value);
    this.#open.add(value);
    const data = this.#readObject(value, place);
    this.#open.delete(value);
    this.#known.set(value, data);
    return data;
  }

  #readObject(value: object, place: JsonPlace): unknown {
    if (Array.isArray(value)) {
      return value.map((inner: unknown, index) => this.read(inner, place.child(index)));
    }
    if (isPlainObject(value)) {
      const given: [string, unknown][] = [];
      for (const [key, inner] of Object.entries(value)) {
        if (inner !== undefined) given.push([key, this.read(inner, place.child(key))]);
      }
      return Object.fromEntries(given);
    }
    // A level of its own, since each object may return another one.
    return hasJsonForm(value) ? this.read(value.toJSON(), place.inRecord({ step: "" }, 1)) : value;
  }
}

/** LangChain's objects, bytes and invalid dates have a `toJSON` too, but are encoded so that they are read back as what they are. */
function hasJsonForm(value: object): value is { toJSON(): unknown } {
  if (!("toJSON" in value) || typeof value.toJSON !== "function") return false;
  if (ArrayBuffer.isView(value) || "lc_serializable" in value) return false;
  return !types.isDate(value) || !Number.isNaN(value.getTime());
}

/** How values are encrypted or compressed. */
export interface Sealing {
  readonly serde: ContextualSerializer;
  /** The keys of a value that are also stored in clear text, so that filters and searches by text find them. */
  readonly visibleKeys: ReadonlySet<string>;
}
