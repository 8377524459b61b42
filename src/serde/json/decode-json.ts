import { DeserializationError } from "../../errors/index.js";
import { type LangGraphSource, readWithLangGraph } from "../langchain/langgraph-classes.js";
import type { JsonValue } from "./json-value.js";
import { TreeDecoder } from "./tree-decoder.js";

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
