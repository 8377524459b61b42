import { types } from "node:util";
import { lostByCopying, viewClassOf, unboxed, builtInErrorName } from "../objects/built-ins.js";
import { rejectSymbols } from "./encode-plain.js";
import type { Encoder, JsonPlace } from "./encoder.js";
import { isEnumerable, isExactly, readProperty } from "../objects/inspect-object.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import { mapKeyStep, mapValueStep, setMemberStep } from "../objects/value-path.js";
import { constructorRecord } from "./records.js";

/** Encodes an instance of a built-in class, or returns `undefined` for any other object. */
export function encodeBuiltin(value: object, place: JsonPlace, encoder: Encoder): JsonValue | undefined {
  if (ArrayBuffer.isView(value)) return encodeView(value, place);
  const primitive = unboxed(value);
  if (primitive !== undefined)
    return constructorRecord("Boxed", [encoder.encode(primitive, place.inRecord("valueOf()", 2))]);
  const json = types.isNativeError(value)
    ? encodeError(value, place, encoder)
    : (encodeCollection(value, place, encoder) ?? encodeAtom(value, place, encoder));
  if (json !== undefined) rejectHiddenState(value, place);
  return json;
}

function rejectHiddenState(value: object, place: JsonPlace): void {
  rejectSymbols(value, place);
  const [key] = types.isNativeError(value) ? [] : Object.keys(value);
  if (key !== undefined)
    throw place.child(key).error("a property added to a built-in object can't be stored");
}

function encodeCollection(value: object, place: JsonPlace, encoder: Encoder): JsonValue | undefined {
  if (types.isMap(value) && isExactly(value, "Map", 2)) return encodeMap(value, place, encoder);
  if (types.isSet(value) && isExactly(value, "Set", 2)) return encodeSet(value, place, encoder);
  return undefined;
}

function encodeMap(map: ReadonlyMap<unknown, unknown>, place: JsonPlace, encoder: Encoder): JsonValue {
  const pairs = Array.from(map, ([key, value], index) => [
    encoder.encode(key, place.inRecord(mapKeyStep(index), 4)),
    encoder.encode(value, place.inRecord(mapValueStep(key), 4)),
  ]);
  return constructorRecord("Map", [pairs]);
}

function encodeSet(set: ReadonlySet<unknown>, place: JsonPlace, encoder: Encoder): JsonValue {
  const items = Array.from(set, (item, index) =>
    encoder.encode(item, place.inRecord(setMemberStep(index), 3)),
  );
  return constructorRecord("Set", [items]);
}

function encodeAtom(value: object, place: JsonPlace, encoder: Encoder): JsonValue | undefined {
  if (types.isDate(value) && isExactly(value, "Date", 2)) return encodeDate(value);
  if (types.isRegExp(value) && isExactly(value, "RegExp", 2)) return encodeRegExp(value, place, encoder);
  if (value instanceof URL && isExactly(value, "URL", 2)) return constructorRecord("URL", [value.href]);
  if (types.isArrayBuffer(value) && isExactly(value, "ArrayBuffer", 2)) {
    rejectLoss(value, place);
    return constructorRecord("ArrayBuffer", [Buffer.from(value).toString("base64")]);
  }
  return undefined;
}

function encodeDate(date: Date): JsonValue {
  return constructorRecord("Date", [Number.isNaN(date.getTime()) ? null : date.toISOString()]);
}

/** Encodes `lastIndex` as any value, since any may be assigned, and the source as a string that JSONB may refuse. */
function encodeRegExp(regExp: RegExp, place: JsonPlace, encoder: Encoder): JsonValue {
  const { source, flags, lastIndex } = regExp;
  const kwargs: JsonObject = Object.is(lastIndex, 0)
    ? {}
    : { lastIndex: encoder.encode(lastIndex, place.inRecord("lastIndex", 2)) };
  return constructorRecord("RegExp", [encoder.encode(source, place), flags], kwargs);
}

function rejectLoss(value: ArrayBuffer | ArrayBufferView, place: JsonPlace): void {
  const problem = lostByCopying(value);
  if (problem !== undefined) throw place.error(problem);
}

function encodeView(view: ArrayBufferView, place: JsonPlace): JsonValue | undefined {
  const name = viewClassOf(view);
  if (name === undefined) return undefined;
  rejectSymbols(view, place);
  rejectLoss(view, place);
  if (name === "Uint8Array" && types.isUint8Array(view))
    return constructorRecord(name, [Array.from(view)], {}, "from");
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64");
  return constructorRecord(name, [bytes]);
}

/**
 * Encodes an error of a built-in class, or returns `undefined` for another class. The message is where the official reader expects
 * it. Class, stack, cause, name and all other properties are kwargs, which that reader ignores. The stack is stored, since a new
 * stack would point at the reader.
 */
function encodeError(error: Error, place: JsonPlace, encoder: Encoder): JsonValue | undefined {
  const name = builtInErrorName(error);
  if (name === undefined) return undefined;
  const kwargs: JsonObject = {
    ...(name === "Error" ? {} : { class: name }),
    ...(Object.hasOwn(error, "message") ? {} : { hasMessage: false }),
    properties: encodeProperties(error, place, encoder),
  };
  const message: unknown = error.message;
  const text = encoder.encode(typeof message === "string" ? message : "", place);
  return constructorRecord("Error", [text], kwargs);
}

function encodeProperties(error: Error, place: JsonPlace, encoder: Encoder): JsonValue {
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
