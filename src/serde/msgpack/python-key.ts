import { isBareArray, viewClassOf } from "../objects/built-in-state.js";
import { pythonOriginOf } from "../python/python-origin.js";
import { isLongInteger, isWellFormed } from "./encode-scalars.js";
import { isArray } from "../objects/type-guards.js";

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
