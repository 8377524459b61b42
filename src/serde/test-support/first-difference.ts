import { types } from "node:util";
import { PYTHON_ORIGIN, PYTHON_SCALARS } from "../python-origin.js";
import { isObject } from "../msgpack/prototypes.js";

/**
 * Where two values first differ, as text, or `undefined` if nothing tells them apart: not a prototype, an own key or its
 * place in the order, a property's enumerability, a zero's sign, a hole, a byte. What a value remembers of Python is no
 * part of it.
 */
export function firstDifference(a: unknown, b: unknown, path = "value"): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (!isObject(a) || !isObject(b)) return `${path}: ${describe(a)} is not ${describe(b)}`;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return `${path}: another prototype`;
  return contentDifference(a, b, path) ?? propertyDifference(a, b, path);
}

function contentDifference(a: object, b: object, path: string): string | undefined {
  if (types.isMap(a) && types.isMap(b)) return firstDifference([...a], [...b], `${path}.entries()`);
  if (types.isSet(a) && types.isSet(b)) return firstDifference([...a], [...b], `${path}.values()`);
  return firstDifference(content(a), content(b), `${path} (content)`);
}

/** What an object holds apart from its properties, as a primitive. */
function content(value: object): unknown {
  if (types.isDate(value)) return value.getTime();
  if (types.isRegExp(value)) return String(value);
  if (types.isAnyArrayBuffer(value))
    return `${types.isSharedArrayBuffer(value)} ${String(Reflect.get(value, "resizable"))} ${Buffer.from(value).toString("hex")}`;
  if (ArrayBuffer.isView(value))
    return (
      `${types.isSharedArrayBuffer(value.buffer)} ${String(Reflect.get(value.buffer, "resizable"))} ` +
      Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")
    );
  return value instanceof URL ? value.href : undefined;
}

function propertyDifference(a: object, b: object, path: string): string | undefined {
  const [keys, keysOfB] = [ownKeys(a), ownKeys(b)];
  if (keys.length !== keysOfB.length) return `${path}: another number of keys`;
  for (const [index, key] of keys.entries()) {
    if (keysOfB[index] !== key) return `${path}: ${String(key)} is not ${String(keysOfB[index])}`;
    const [left, right] = [Object.getOwnPropertyDescriptor(a, key), Object.getOwnPropertyDescriptor(b, key)];
    if (left?.enumerable !== right?.enumerable) return `${path}.${String(key)}: enumerable in one only`;
    const found = firstDifference(Reflect.get(a, key), Reflect.get(b, key), `${path}.${String(key)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownKeys(value: object): (string | symbol)[] {
  const keys = Reflect.ownKeys(value).filter((key) => key !== PYTHON_ORIGIN && key !== PYTHON_SCALARS);
  return ArrayBuffer.isView(value)
    ? keys.filter((key) => typeof key === "symbol" || !/^\d+$/.test(key))
    : keys;
}

function describe(value: unknown): string {
  return typeof value === "bigint"
    ? `${value}n`
    : Object.is(value, -0)
      ? "-0"
      : `${typeof value} ${String(value)}`;
}
