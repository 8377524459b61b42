import type { JsonValue } from "./json-value.js";
import type { Place } from "./place.js";

/** What the encoders of single kinds of values need from the walk that calls them. */
export interface Encoder {
  /** Whether the JSON goes into a JSONB column. */
  readonly jsonb: boolean;
  /** Encodes a value inside the one at hand. */
  encode(value: unknown, place: Place): JsonValue;
  /** Whether a string can be written as it is, as a value or as a key. */
  canWrite(text: string): boolean;
}
