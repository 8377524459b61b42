import { DeserializationError } from "../../errors/index.js";
import {
  type LangGraphSource,
  readWithLangGraph,
  type LangGraphClasses,
} from "../langchain/langgraph-classes.js";
import { type JsonValue, isJsonObject, type JsonObject, MAX_JSON_DEPTH } from "./json-value.js";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { type JsonDecoder, type Depth, inside, type Revived } from "./decoder.js";
import { defineOwn } from "../objects/inspect-object.js";
import { isData, isMark, unescapeKey } from "./escaped-keys.js";
import { isRecordOfEntries, LC_ESCAPED_KEY } from "./records.js";
import { reviveLangChain } from "./langchain-records.js";
import { reviverOf } from "./revivers.js";

/**
 * Decodes JSON data that {@link encodeJson}, the official JavaScript saver or an old Python saver wrote. Only the kinds of
 * records on a closed list are revived. Any other object is read as data.
 *
 * @param json - the data, as `JSON.parse` returns it
 * @returns the value, or a promise of it if it contains a Send, Overwrite or Command, whose classes are imported on demand
 * @throws {@link DeserializationError} for data that is nested too deep, and for fields that a message class refuses
 *
 * @example
 * ```ts
 * decodeJson({ lc: 2, type: "constructor", id: ["Set"], args: [["a"]] }); // Set { "a" }
 * ```
 */
export function decodeJson(json: JsonValue): unknown {
  return readWithLangGraph((source) => decodeTree(json, source));
}

/**
 * Like {@link decodeJson}, for a caller that already has the classes of @langchain/langgraph.
 *
 * @param keepsKeys - Whether the JSON was written with the option of this name.
 */
export function decodeTree(json: JsonValue, source: LangGraphSource, keepsKeys = false): unknown {
  return withStackCheck(() => new TreeDecoder(source, keepsKeys).decode(json, { level: 0, inKwargs: false }));
}

/** Converts a stack overflow to a DeserializationError. The caller may have used up most of the stack. */
function withStackCheck<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new DeserializationError("the value is nested too deep for the stack", { cause });
    throw cause;
  }
}

/** Decodes one JSON value. */
export class TreeDecoder implements JsonDecoder {
  readonly #source: LangGraphSource;
  readonly keepsKeys: boolean;

  constructor(source: LangGraphSource, keepsKeys = false) {
    this.#source = source;
    this.keepsKeys = keepsKeys;
  }

  get langGraph(): LangGraphClasses | null {
    return this.#source.langGraph;
  }

  decode(json: JsonValue, depth: Depth): unknown {
    if (typeof json !== "object" || json === null) return json;
    if (depth.level >= MAX_JSON_DEPTH) {
      throw new DeserializationError(`the value is nested deeper than ${MAX_JSON_DEPTH} levels of JSON`);
    }
    if (Array.isArray(json)) return this.#decodeArray(json, depth);
    const mayBeRecord = Object.hasOwn(json, "lc") && !this.#isData(json, depth);
    if (!mayBeRecord) return this.#decodeUnmarked(json, depth);
    const revived = this.#revive(json, depth);
    return revived === undefined ? this.#decodePlain(json, depth) : revived.value;
  }

  /** Of an item the whole is data: a value of an item is an object, whose keys are not for this library to change. */
  #isData(json: JsonObject, { level }: Depth): boolean {
    return this.keepsKeys && (isData(json) || (level === 0 && !isRecordOfEntries(json)));
  }

  #decodeArray(json: JsonValue[], depth: Depth): unknown[] {
    const deeper = { level: depth.level + 1, inKwargs: depth.inKwargs };
    const items: unknown[] = [];
    for (const item of json) items.push(this.decode(item, deeper));
    return items;
  }

  #decodeUnmarked(json: JsonObject, depth: Depth): unknown {
    const keys = depth.inKwargs ? Object.keys(json) : [];
    const escaped = keys.length === 1 && keys[0] === LC_ESCAPED_KEY ? json[LC_ESCAPED_KEY] : undefined;
    // The escaped object itself is data, even if it has the shape of a record.
    return isJsonObject(escaped)
      ? this.#decodePlain(escaped, inside(depth, 1))
      : this.#decodePlain(json, depth);
  }

  #decodePlain(json: JsonObject, depth: Depth): object {
    const deeper = { level: depth.level + 1, inKwargs: depth.inKwargs };
    const value: Record<string, unknown> = {};
    for (const [spelled, item] of Object.entries(json)) {
      if (this.keepsKeys && isMark(spelled, json)) continue;
      const key = this.keepsKeys ? unescapeKey(spelled) : spelled;
      const decoded = this.decode(item, deeper);
      if (key === "__proto__") defineOwn(value, key, decoded);
      else value[key] = decoded;
    }
    return value;
  }

  #revive(record: JsonObject, depth: Depth): Revived | undefined {
    if (record.lc === 1) return reviveLangChain(record, depth, this);
    if (record.lc !== 2) return undefined;
    switch (record.type) {
      case "undefined":
        return { value: undefined };
      case "delta_snapshot":
        return this.#reviveDeltaSnapshot(record, depth);
      case "constructor":
        return reviverOf(record)?.(record, depth, this);
      default:
        return undefined;
    }
  }

  #reviveDeltaSnapshot(record: JsonObject, depth: Depth): Revived | undefined {
    if (record.value === undefined) return undefined;
    return { value: new DeltaSnapshot(this.decode(record.value, inside(depth, 1))) };
  }
}
