import type { JsonObject, JsonValue } from "./json-value.js";
import type { Place } from "./place.js";

/** The functions that the encoders of single kinds of values need from the encoder of the whole value. */
export interface Encoder {
  /** Whether the JSON is stored in a JSONB column. */
  readonly jsonb: boolean;
  /** Whether every plain object is written with its keys; see {@link EncodeJsonOptions}. */
  readonly keepsKeys: boolean;
  /** Encodes a part of the current value. */
  encode(value: unknown, place: Place): JsonValue;
  /** Encodes an object as one that was not read from a record; see {@link recordOf}. */
  encodeAnew(value: object, place: Place): JsonValue;
  /** The record that an object was read from, unless it is encoded anew. */
  recordOf(value: object): JsonObject | undefined;
  /** Whether a string can be written unchanged, as a value or as a key. */
  canWrite(text: string): boolean;
}
