import { types } from "node:util";
import { guardRead } from "../../serde/guard-read.js";
import { ESCAPED } from "../../serde/json/escaped-keys.js";
import { textOf } from "../../serde/json/json-text.js";
import { isJsonObject, type JsonValue } from "../../serde/json/json-value.js";
import { Place } from "../../serde/json/place.js";
import { isRecordOfEntries } from "../../serde/json/records.js";
import { encodeJsonb } from "../../serde/jsonb/encode-jsonb.js";
import { withPlainNumbers } from "../../serde/jsonb/plain-numbers.js";
import { isPlainObject } from "../../serde/plain-object.js";

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
  return withPlainNumbers(textOf(json, path));
}

/**
 * The value of an item as `JSON.stringify` would see it: with its dates as ISO texts, without what is undefined, and with 0 for -0. Values
 * are stored as this data, and texts are embedded from it.
 *
 * @param path - The name of the value in error messages.
 * @throws SerializationError naming the path of a part that refers back to an object around it or is nested too deep.
 */
export function itemData(value: unknown, path: string): unknown {
  return guardRead(() => new DataReader().read(value, Place.root(path)), {}, path);
}

class DataReader {
  readonly #open = new Set<object>();
  /** Objects that several parts of the value share are read once. The value may have far more paths than objects. */
  readonly #known = new Map<object, unknown>();

  read(value: unknown, place: Place): unknown {
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

  #readObject(value: object, place: Place): unknown {
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
    return hasJsonForm(value)
      ? this.read(
          value.toJSON(),
          place.inRecord(() => "", 1),
        )
      : value;
  }
}

/** LangChain's objects, bytes and invalid dates have a `toJSON` too, but are encoded so that they are read back as what they are. */
function hasJsonForm(value: object): value is { toJSON(): unknown } {
  if (!("toJSON" in value) || typeof value.toJSON !== "function") return false;
  if (ArrayBuffer.isView(value) || "lc_serializable" in value) return false;
  return !types.isDate(value) || !Number.isNaN(value.getTime());
}
