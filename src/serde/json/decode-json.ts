import { DeserializationError } from "../../errors/index.js";
import { type LangGraphSource, readWithLangGraph } from "../langchain/langgraph-classes.js";
import type { JsonValue } from "./json-value.js";
import { TreeDecoder } from "./tree-decoder.js";

/**
 * Turns JSON data that {@link encodeJson}, the official JavaScript saver or an old Python saver wrote into the value.
 * Only the kinds of records of a closed list are revived; any other object is data, whatever it looks like.
 *
 * @param json - the data, as `JSON.parse` returns it
 * @returns the value, or a promise of it where it holds a Send, Overwrite or Command: their classes are imported when they
 *   are met
 * @throws {@link DeserializationError} for data that is nested too deep, or a message that its class refuses
 *
 * @example
 * ```ts
 * decodeJson({ lc: 2, type: "constructor", id: ["Set"], args: [["a"]] }); // Set { "a" }
 * ```
 */
export function decodeJson(json: JsonValue): unknown {
  return readWithLangGraph((source) => decodeTree(json, source));
}

/** Like {@link decodeJson}, for a caller that has the classes of @langchain/langgraph at hand. */
export function decodeTree(json: JsonValue, source: LangGraphSource): unknown {
  return guarded(() => new TreeDecoder(source).decode(json, { level: 0, inKwargs: false }));
}

/** Runs a walk; the caller's own stack may be nearly full already. */
function guarded<T>(walk: () => T): T {
  try {
    return walk();
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new DeserializationError("the value is nested too deep for the stack", { cause });
    throw cause;
  }
}
