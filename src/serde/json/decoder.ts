import type { LangGraphSource } from "../langchain/langgraph-classes.js";
import type { JsonObject, JsonValue } from "./json-value.js";

/** How far the walk has come. */
export interface Depth {
  /** How many levels of JSON surround what is read here. */
  readonly level: number;
  /** Whether what is read here are kwargs of a LangChain object, where core escapes plain objects with a key `lc`. */
  readonly inKwargs: boolean;
}

/** A revived value, in a box, since the value itself may be undefined. */
export interface Revived {
  readonly value: unknown;
}

/** What the decoders of single kinds of records need from the walk that calls them. */
export interface Decoder extends LangGraphSource {
  /** Decodes JSON inside the record at hand. */
  decode(json: JsonValue, depth: Depth): unknown;
}

/** Revives a record; undefined where the record does not have the shape that this kind of record has. */
export type Reviver = (record: JsonObject, depth: Depth, decoder: Decoder) => Revived | undefined;

/** The depth of what lies `levels` inside a record. */
export function inside(depth: Depth, levels: number): Depth {
  return { level: depth.level + levels, inKwargs: false };
}
