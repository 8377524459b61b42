import {
  PYTHON_DICT,
  pythonScalarsOf,
  rememberOrigin,
  rememberScalars,
  type Spellings,
} from "../python-origin.js";
import { isRecord } from "./prototypes.js";
import { pythonKeyOf } from "./python-key.js";

/** A Map that remembers that it was a dict, unless it has keys that no dict of Python's can have. */
export function dictOf(map: Map<unknown, unknown>, spellings?: Spellings): Map<unknown, unknown> {
  if (![...map.keys()].every((key) => pythonKeyOf(key) !== undefined)) return map;
  return rememberOrigin(map, { code: PYTHON_DICT, module: "builtins", name: "dict", spellings });
}

/** A Map that was a dict and has lost all keys that were no strings: the dict, and the keys in their order. */
export function decodeTextDict(argument: unknown, keys: readonly unknown[]): object | undefined {
  if (!isRecord(argument) || Object.keys(argument).length !== keys.length) return undefined;
  const map = new Map<unknown, unknown>();
  for (const key of keys) {
    if (typeof key !== "string" || !Object.hasOwn(argument, key)) return undefined;
    map.set(key, argument[key]);
  }
  return rememberScalars(dictOf(map), pythonScalarsOf(argument));
}
