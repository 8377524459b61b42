import { DeserializationError } from "../../errors/index.js";
import { type LangGraphSource, readWithLangGraph } from "../langchain/langgraph-classes.js";
import { malformed } from "./byte-reader.js";
import { Decoder } from "./msgpack-decoder.js";

/**
 * Decodes a MessagePack value with Python's extensions and this library's own.
 *
 * @returns the value, or a promise of it if it contains a Send, Overwrite or Command, whose classes are imported on demand
 * @throws {@link DeserializationError} for malformed bytes; the promise rejects with the same error
 */
export function decode(bytes: Uint8Array): unknown {
  return readWithLangGraph((source) => run(bytes, source));
}

function run(bytes: Uint8Array, source: LangGraphSource): unknown {
  try {
    return new Decoder(bytes, source).document();
  } catch (error) {
    if (error instanceof DeserializationError) throw error;
    throw malformed(error instanceof RangeError ? "it is nested too deep" : "a part of it is invalid", error);
  }
}
