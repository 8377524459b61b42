import type { JsonValue } from "./json-value.js";
import type { Place } from "./place.js";

/** The functions that the encoders of single kinds of values need from the encoder of the whole value. */
export interface Encoder {
  /** Whether the JSON is stored in a JSONB column. */
  readonly jsonb: boolean;
  /** Whether every plain object is written with its keys; see {@link EncodeJsonOptions}. */
  readonly keepsKeys: boolean;
  /** Encodes a part of the current value. */
  encode(value: unknown, place: Place): JsonValue;
  /** Whether a string can be written unchanged, as a value or as a key. */
  canWrite(text: string): boolean;
}
