import { types } from "node:util";
import { PYTHON_ORIGIN, PYTHON_SCALARS } from "../python/python-origin.js";
import { isObject } from "../objects/type-guards.js";

type KeyOrder = "of keys counts" | "of keys is ignored";

/**
 * Describes the first difference between two values, or returns `undefined` if there is none. It compares prototypes, own keys, the
 * enumerability of properties, the sign of zero, holes and bytes. It ignores the origin in Python that a value keeps.
 *
 * @param order - Whether the order of keys counts. JSONB sorts them.
 */
export function firstDifference(
  a: unknown,
  b: unknown,
  path = "value",
  order: KeyOrder = "of keys counts",
): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (!isObject(a) || !isObject(b)) return `${path}: ${describe(a)} is not ${describe(b)}`;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return `${path}: another prototype`;
  return contentDifference(a, b, path, order) ?? propertyDifference(a, b, path, order);
}

function contentDifference(a: object, b: object, path: string, order: KeyOrder): string | undefined {
  if (types.isMap(a) && types.isMap(b)) return firstDifference([...a], [...b], `${path}.entries()`, order);
  if (types.isSet(a) && types.isSet(b)) return firstDifference([...a], [...b], `${path}.values()`, order);
  return firstDifference(content(a), content(b), `${path} (content)`);
}

/** The content of an object apart from its properties, as a primitive. */
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

function propertyDifference(a: object, b: object, path: string, order: KeyOrder): string | undefined {
  const [keys, keysOfB] = [ownKeys(a, order), ownKeys(b, order)];
  if (keys.length !== keysOfB.length) return `${path}: another number of keys`;
  for (const [index, key] of keys.entries()) {
    if (keysOfB[index] !== key) return `${path}: ${String(key)} is not ${String(keysOfB[index])}`;
    const [left, right] = [Object.getOwnPropertyDescriptor(a, key), Object.getOwnPropertyDescriptor(b, key)];
    if (left?.enumerable !== right?.enumerable) return `${path}.${String(key)}: enumerable in one only`;
    const found = firstDifference(Reflect.get(a, key), Reflect.get(b, key), `${path}.${String(key)}`, order);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownKeys(value: object, order: KeyOrder): (string | symbol)[] {
  const keys = Reflect.ownKeys(value).filter((key) => key !== PYTHON_ORIGIN && key !== PYTHON_SCALARS);
  const named = ArrayBuffer.isView(value)
    ? keys.filter((key) => typeof key === "symbol" || !/^\d+$/.test(key))
    : keys;
  return order === "of keys counts"
    ? named
    : named.sort((one, other) => (String(one) < String(other) ? -1 : 1));
}

function describe(value: unknown): string {
  return typeof value === "bigint"
    ? `${value}n`
    : Object.is(value, -0)
      ? "-0"
      : `${typeof value} ${String(value)}`;
}
