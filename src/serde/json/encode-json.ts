import type { JsonValue, JsonObject } from "./json-value.js";
import { JsonPlace, type Encoder } from "./encoder.js";
import { constants } from "node:buffer";
import { standsForLangGraph } from "../langchain/langgraph-classes.js";
import { LONG_TEXT, SharedParts } from "../objects/shared-parts.js";
import { encodeBuiltin } from "./encode-builtin.js";
import { langChainToJson } from "./encode-langchain.js";
import { langGraphToJson } from "./json-langgraph.js";
import { arrayToJson, plainObjectToJson } from "./encode-plain.js";
import { bigIntToJson, encodeCodeUnits, numberToJson, isJsonbText } from "./scalars.js";
import { isPlainObject } from "../objects/inspect-object.js";
import { unstorableObject, unstorablePrimitive } from "../objects/unstorable.js";
import { recordReadFrom, undefinedRecord } from "./records.js";

/** Options of {@link encodeJson}. */
export interface EncodeJsonOptions {
  /** The name of the whole value in error messages, such as `metadata`. Empty by default. */
  readonly path?: string;
  /** Whether the JSON is stored in a JSONB column, which refuses U+0000 and lone surrogates. False by default. */
  readonly jsonb?: boolean;
  /**
   * Whether every plain object is written as an object with its keys, so that filters of JSONB find it by them. Such JSON is read as
   * that of an `item`. False by default: an object that the official reader would change is written as a record of its entries.
   */
  readonly keepsKeys?: boolean;
}

/**
 * Encodes a value as plain JSON data in the layout of the official JavaScript serializer, so that both can read it. LangChain
 * objects become `{lc: 1, …}` records, and values that JSON lacks become `{lc: 2, …}` records. Values that the official layout
 * would silently change are written as further `{lc: 2, …}` records, which the official reader returns as data. The result shares
 * no array or object with the value.
 *
 * @param value - the value
 * @param options - the name in error messages, and whether the JSON is stored in a JSONB column
 * @throws {@link SerializationError} for a value that would not be read back equal: a function, a symbol, a cycle, an
 *   instance of an unknown class
 *
 * @example
 * ```ts
 * encodeJson({ tags: new Set(["a"]) });
 * // { tags: { lc: 2, type: "constructor", id: ["Set"], method: null, args: [["a"]], kwargs: {} } }
 * ```
 */
export function encodeJson(value: unknown, options: EncodeJsonOptions = {}): JsonValue {
  const encoder = new TreeEncoder(options);
  const root = JsonPlace.root(options.path ?? "");
  try {
    return encoder.encode(value, root);
  } catch (error) {
    // The caller may have used up most of the stack.
    if (error instanceof RangeError) throw root.error("is nested too deep for the stack", error);
    throw error;
  }
}

interface EncodingRules extends Partial<Pick<Encoder, "jsonb" | "keepsKeys">> {
  /** Whether the records that objects were read from are ignored. */
  readonly anew?: boolean;
}

/** Encodes one value. */
class TreeEncoder implements Encoder {
  readonly jsonb: boolean;
  readonly keepsKeys: boolean;
  readonly #anew: boolean;
  readonly #open = new Set<object>();
  readonly #parts = new SharedParts<JsonValue>(constants.MAX_STRING_LENGTH);

  constructor({ jsonb = false, keepsKeys = false, anew = false }: EncodingRules) {
    this.jsonb = jsonb;
    this.keepsKeys = keepsKeys;
    this.#anew = anew;
  }

  encodeAnew(value: object, place: JsonPlace): JsonValue {
    const { jsonb, keepsKeys } = this;
    return new TreeEncoder({ jsonb, keepsKeys, anew: true }).encode(value, place);
  }

  recordOf(value: object): JsonObject | undefined {
    return this.#anew || !this.keepsKeys ? undefined : recordReadFrom(value);
  }

  canWrite(text: string): boolean {
    return !this.jsonb || isJsonbText(text);
  }

  encode(value: unknown, place: JsonPlace): JsonValue {
    this.#parts.count(1);
    switch (typeof value) {
      case "string":
        this.#countText(value, place);
        return this.canWrite(value) ? value : encodeCodeUnits(value);
      case "number":
        return numberToJson(value);
      case "boolean":
        return value;
      case "undefined":
        return undefinedRecord();
      case "bigint":
        return bigIntToJson(value, place);
      case "object":
        return value === null ? null : this.#enter(value, place);
      case "function":
      case "symbol":
        throw place.error(unstorablePrimitive(value));
    }
  }

  #countText(text: string, place: JsonPlace): void {
    this.#parts.count(text.length);
    if (text.length > LONG_TEXT) this.#refuseTooLarge(place);
  }

  #refuseTooLarge(place: JsonPlace): void {
    const { problem } = this.#parts;
    if (problem !== undefined) throw place.error(problem);
  }

  #enter(value: object, place: JsonPlace): JsonValue {
    if (this.#open.has(value)) throw place.cycle();
    place.assertDepth();
    const bytesBefore = this.#parts.bytes;
    let json = this.#parts.areLarge ? this.#parts.repeat(value, place) : undefined;
    if (json === undefined) {
      if (ArrayBuffer.isView(value)) this.#parts.count(value.byteLength);
      this.#open.add(value);
      json = this.#encodeObject(value, place);
      this.#open.delete(value);
      if (this.#parts.areLarge) this.#parts.remember(value, place, bytesBefore, json);
    }
    if (this.#parts.areLarge) this.#refuseTooLarge(place);
    return json;
  }

  #encodeObject(value: object, place: JsonPlace): JsonValue {
    if (Array.isArray(value)) return arrayToJson(value, place, this);
    if (isPlainObject(value) && !ArrayBuffer.isView(value) && !standsForLangGraph(value))
      return plainObjectToJson(value, place, this);
    const json =
      encodeBuiltin(value, place, this) ??
      langChainToJson(value, place, this) ??
      langGraphToJson(value, place, this);
    if (json === undefined) throw place.error(unstorableObject(value));
    return json;
  }
}
