import { isPlainObject } from "../plain-object.js";
import { ownEntries, prototypeOf } from "./inspect-object.js";

/** Whether two values are the same data: identical, or arrays or plain objects of the same data in the same order. */
export function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (prototypeOf(a) !== prototypeOf(b) || !isData(a)) return false;
  const left = ownEntries(a);
  const right = ownEntries(b);
  return left.length === right.length && left.every((entry, index) => isSameEntry(entry, right[index]));
}

function isSameEntry([key, value]: [string, unknown], other: [string, unknown] | undefined): boolean {
  return key === other?.[0] && isSameData(value, other[1]);
}

function isData(value: object): boolean {
  return Array.isArray(value) || isPlainObject(value);
}
