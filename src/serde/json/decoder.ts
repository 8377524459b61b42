import type { LangGraphSource } from "../langchain/langgraph-classes.js";
import type { JsonObject, JsonValue } from "./json-value.js";

/** The position of a value inside the JSON data. */
export interface Depth {
  /** The number of levels of JSON around the value. */
  readonly level: number;
  /** Whether the value is inside the kwargs of a LangChain object, where core escapes plain objects with a key `lc`. */
  readonly inKwargs: boolean;
}

/** A revived value, in an object because the value itself may be undefined. */
export interface Revived {
  readonly value: unknown;
}

/** The functions that the decoders of single kinds of records need from the decoder of the whole value. */
export interface JsonDecoder extends LangGraphSource {
  /** Whether the JSON is that of an item; see `keepsKeys` of {@link EncodeJsonOptions}. */
  readonly keepsKeys: boolean;
  /** Decodes JSON inside the current record. */
  decode(json: JsonValue, depth: Depth): unknown;
}

/** Revives a record, or returns `undefined` for a record that does not have the shape of its kind. */
export type Reviver = (record: JsonObject, depth: Depth, decoder: JsonDecoder) => Revived | undefined;

/** The depth of a value that lies `levels` inside a record. */
export function inside(depth: Depth, levels: number): Depth {
  return { level: depth.level + levels, inKwargs: false };
}
