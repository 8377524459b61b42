import type { Encoder } from "./encoder.js";
import { classNameOf, prototypeDepth, readProperty } from "./inspect-object.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import type { Place } from "./place.js";
import { constructorRecord } from "./records.js";

const BUILTIN_SUBCLASSES = [
  "AggregateError",
  "EvalError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
  "URIError",
];

/**
 * Encodes an error of a built-in class. The message stands where the official reader looks for it; class, stack,
 * cause, name and whatever else the error carries are kwargs, which that reader ignores. The stack is kept as it is:
 * a stack made while reading would point at the reader.
 */
export function encodeError(error: Error, place: Place, encoder: Encoder): JsonValue | undefined {
  const name = classNameOf(error);
  const isSubclass = BUILTIN_SUBCLASSES.includes(name) && prototypeDepth(error) === 3;
  if (!isSubclass && !(name === "Error" && prototypeDepth(error) === 2)) return undefined;
  const kwargs: JsonObject = {
    ...(isSubclass ? { class: name } : {}),
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

function isEnumerable(target: object, key: string): boolean {
  return Object.prototype.propertyIsEnumerable.call(target, key);
}
