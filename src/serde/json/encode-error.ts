import type { Encoder } from "./encoder.js";
import { builtInErrorName } from "../objects/built-in-errors.js";
import { isEnumerable, readProperty } from "../objects/inspect-object.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import type { Place } from "./place.js";
import { constructorRecord } from "./records.js";

/**
 * Encodes an error of a built-in class, or returns `undefined` for another class. The message is where the official reader expects
 * it. Class, stack, cause, name and all other properties are kwargs, which that reader ignores. The stack is stored, since a new
 * stack would point at the reader.
 */
export function encodeError(error: Error, place: Place, encoder: Encoder): JsonValue | undefined {
  const name = builtInErrorName(error);
  if (name === undefined) return undefined;
  const kwargs: JsonObject = {
    ...(name === "Error" ? {} : { class: name }),
    ...(Object.hasOwn(error, "message") ? {} : { hasMessage: false }),
    properties: encodeProperties(error, place, encoder),
  };
  const message: unknown = error.message;
  return constructorRecord(
    "Error",
    [encoder.encode(typeof message === "string" ? message : "", place)],
    kwargs,
  );
}

function encodeProperties(error: Error, place: Place, encoder: Encoder): JsonValue {
  return Object.getOwnPropertyNames(error)
    .filter((key) => !isPlainMessage(error, key))
    .map((key) => [
      encoder.encode(key, place),
      encoder.encode(readProperty(error, key), place.inRecord(key, 4)),
      isEnumerable(error, key),
    ]);
}

function isPlainMessage(error: Error, key: string): boolean {
  return key === "message" && typeof readProperty(error, key) === "string" && !isEnumerable(error, key);
}
