import { isBareArray, viewClassOf } from "../objects/built-ins.js";
import {
  pythonOriginOf,
  PYTHON_DICT,
  pythonScalarsOf,
  rememberOrigin,
  rememberScalars,
  type Spellings,
} from "../python/python-origin.js";
import { isLongInteger, isWellFormed } from "./wire.js";
import { isArray, isRecord } from "../objects/inspect-object.js";

/**
 * Identifies a key of a dict by Python's rules, where `True`, `1` and `1.0` are equal. Returns `undefined` for a key that Python's
 * reader can't read: it fails on every extension.
 */
export function pythonKeyOf(key: unknown): string | undefined {
  switch (typeof key) {
    case "string":
      return isWellFormed(key) ? JSON.stringify(key) : undefined;
    case "boolean":
      return key ? "1" : "0";
    case "number":
      return Number.isInteger(key) ? String(BigInt(key)) : String(key);
    case "bigint":
      return isLongInteger(key) ? String(key) : undefined;
    case "object":
      return key === null ? "null" : objectKeyOf(key);
    default:
      return undefined;
  }
}

/** Identifies bytes, and arrays, which Python reads as tuples. */
function objectKeyOf(key: object): string | undefined {
  if (pythonOriginOf(key) !== undefined) return undefined;
  if (key instanceof Uint8Array)
    return viewClassOf(key) === "Uint8Array" ? `b${Buffer.from(key).toString("hex")}` : undefined;
  if (!isArray(key) || !isBareArray(key)) return undefined;
  const parts = Array.from(key, pythonKeyOf);
  return parts.includes(undefined) ? undefined : `(${parts.join()})`;
}

/** Makes a Map keep that it was a dict, unless it has a key that Python's reader can't read as a key of a dict. */
export function dictOf(map: Map<unknown, unknown>, spellings?: Spellings): Map<unknown, unknown> {
  if (![...map.keys()].every((key) => pythonKeyOf(key) !== undefined)) return map;
  return rememberOrigin(map, { code: PYTHON_DICT, module: "builtins", name: "dict", spellings });
}

/** Decodes a Map that was a dict and has lost all keys that were not strings. `keys` gives the order. */
export function decodeTextDict(argument: unknown, keys: readonly unknown[]): object | undefined {
  if (!isRecord(argument) || Object.keys(argument).length !== keys.length) return undefined;
  const map = new Map<unknown, unknown>();
  for (const key of keys) {
    if (typeof key !== "string" || !Object.hasOwn(argument, key)) return undefined;
    map.set(key, argument[key]);
  }
  return rememberScalars(dictOf(map), pythonScalarsOf(argument));
}
