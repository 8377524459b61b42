import { types } from "node:util";
import { isArray, isRecord, isPlainObject } from "../../serde/objects/inspect-object.js";
import { PYTHON_DICT, pythonOriginOf } from "../../serde/python/python-origin.js";
import type { ValueType } from "../api/value-node.js";
import { readInherited, readOwn, Unread } from "./read-property.js";

/** Returns the kind of a value. */
export function valueTypeOf(value: unknown): ValueType {
  const type = typeof value;
  if (typeof value === "object") return value === null ? "null" : objectTypeOf(value);
  return type === "function" || type === "symbol" || type === "object" ? "other" : type;
}

function objectTypeOf(value: object): ValueType {
  if (types.isProxy(value) || value instanceof Unread) return "other";
  if (isArray(value)) return "array";
  if (isBytes(value)) return "bytes";
  if (types.isMap(value)) return "map";
  if (types.isSet(value)) return "set";
  if (types.isDate(value)) return "date";
  if (types.isNativeError(value)) return "error";
  return types.isRegExp(value) || value instanceof URL ? "other" : "object";
}

/** Whether a value is binary data. */
export function isBytes(value: object): value is ArrayBufferLike | ArrayBufferView {
  return ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value);
}

/** Returns the bytes of binary data, without a copy. */
export function bufferOf(value: ArrayBufferLike | ArrayBufferView): Buffer {
  return ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value);
}

/** The classes that {@link ValueType} names already. */
const BUILT_IN = new Set(["Array", "Buffer", "Date", "Error", "Map", "Set", "Uint8Array"]);

/** Returns the class of a value: that of Python, where the value comes from there. `undefined` for plain and built-in values. */
export function shownClassOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (types.isProxy(value)) return "Proxy";
  if (value instanceof Unread) return undefined;
  const origin = pythonOriginOf(value);
  if (origin !== undefined) {
    if (origin.module !== "builtins") return `${origin.module}.${origin.name}`;
    return origin.code === PYTHON_DICT ? undefined : origin.name;
  }
  if (isRecord(value)) return nameInRecord(value);
  if (isPlainObject(value)) return undefined;
  const name = constructorNameOf(value);
  return name === undefined || BUILT_IN.has(name) ? undefined : name;
}

function constructorNameOf(value: object): string | undefined {
  const constructor = readInherited(value, "constructor");
  const name = typeof constructor === "function" ? readOwn(constructor, "name") : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** LangChain's record of an object that was not revived, such as `{ lc: 1, type: "constructor", id: [..., "AIMessage"] }`. */
function nameInRecord(record: object): string | undefined {
  if (readOwn(record, "lc") !== 1 || readOwn(record, "type") !== "constructor") return undefined;
  const id = readOwn(record, "id");
  const name = isArray(id) ? id.at(-1) : undefined;
  return typeof name === "string" ? name : undefined;
}
