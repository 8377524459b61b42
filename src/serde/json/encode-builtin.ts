import { types } from "node:util";

import { encodeError } from "./encode-error.js";
import { rejectSymbols } from "./encode-plain.js";
import type { Encoder } from "./encoder.js";
import { isExactly } from "./inspect-object.js";
import type { JsonValue } from "./json-value.js";
import type { Place } from "./place.js";
import { constructorRecord } from "./records.js";

/** Encodes an instance of a class that JavaScript or the runtime brings; undefined for anything else. */
export function encodeBuiltin(value: object, place: Place, encoder: Encoder): JsonValue | undefined {
  if (ArrayBuffer.isView(value)) return encodeView(value);
  const json = types.isNativeError(value)
    ? encodeError(value, place, encoder)
    : (encodeCollection(value, place, encoder) ?? encodeAtom(value));
  if (json !== undefined) rejectHiddenState(value, place);
  return json;
}

function rejectHiddenState(value: object, place: Place): void {
  rejectSymbols(value, place);
  const [key] = types.isNativeError(value) ? [] : Object.keys(value);
  if (key !== undefined)
    throw place.child(key).error("a property added to a built-in object can't be stored");
}

function encodeCollection(value: object, place: Place, encoder: Encoder): JsonValue | undefined {
  if (types.isMap(value) && isExactly(value, "Map", 2)) return encodeMap(value, place, encoder);
  if (types.isSet(value) && isExactly(value, "Set", 2)) return encodeSet(value, place, encoder);
  return undefined;
}

function encodeMap(map: ReadonlyMap<unknown, unknown>, place: Place, encoder: Encoder): JsonValue {
  const pairs = Array.from(map, ([key, value], index) => [
    encoder.encode(
      key,
      place.inRecord(() => `.keys()[${index}]`, 4),
    ),
    encoder.encode(
      value,
      place.inRecord(() => `.get(${nameKey(key)})`, 4),
    ),
  ]);
  return constructorRecord("Map", [pairs]);
}

function nameKey(key: unknown): string {
  if (typeof key === "string") return JSON.stringify(key);
  return typeof key === "object" && key !== null ? "an object" : String(key);
}

function encodeSet(set: ReadonlySet<unknown>, place: Place, encoder: Encoder): JsonValue {
  const items = Array.from(set, (item, index) =>
    encoder.encode(
      item,
      place.inRecord(() => `.values()[${index}]`, 3),
    ),
  );
  return constructorRecord("Set", [items]);
}

function encodeAtom(value: object): JsonValue | undefined {
  if (types.isDate(value) && isExactly(value, "Date", 2)) return encodeDate(value);
  if (types.isRegExp(value) && isExactly(value, "RegExp", 2)) return encodeRegExp(value);
  if (value instanceof URL && isExactly(value, "URL", 2)) return constructorRecord("URL", [value.href]);
  if (types.isArrayBuffer(value) && isExactly(value, "ArrayBuffer", 2)) {
    return constructorRecord("ArrayBuffer", [Buffer.from(value).toString("base64")]);
  }
  return undefined;
}

function encodeDate(date: Date): JsonValue {
  return constructorRecord("Date", [Number.isNaN(date.getTime()) ? null : date.toISOString()]);
}

function encodeRegExp(regExp: RegExp): JsonValue {
  const { source, flags, lastIndex } = regExp;
  return constructorRecord("RegExp", [source, flags], lastIndex === 0 ? {} : { lastIndex });
}

function encodeView(view: ArrayBufferView): JsonValue | undefined {
  const name = Object.prototype.toString.call(view).slice("[object ".length, -1);
  if (types.isUint8Array(view) && isExactly(view, "Uint8Array", 3)) {
    return constructorRecord("Uint8Array", [Array.from(view)], {}, "from");
  }
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64");
  if (isExactly(view, "Buffer", 4)) return constructorRecord("Buffer", [bytes]);
  const depth = name === "DataView" ? 2 : 3;
  return isExactly(view, name, depth) ? constructorRecord(name, [bytes]) : undefined;
}
