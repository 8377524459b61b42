import {
  PYTHON_DICT,
  pythonScalarsOf,
  rememberOrigin,
  rememberScalars,
  type Spellings,
} from "../python/python-origin.js";
import { isRecord } from "../objects/type-guards.js";
import { pythonKeyOf } from "./python-key.js";

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
