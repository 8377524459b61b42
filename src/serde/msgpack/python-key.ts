import { isBareArray, viewClassOf } from "../built-in-state.js";
import { pythonOriginOf } from "../python-origin.js";
import { isLongInteger, isWellFormed } from "./encode-scalars.js";
import { isArray } from "./prototypes.js";

/**
 * What tells a key of a dict from others in Python, where `True`, `1` and `1.0` are one key; `undefined` for what Python's
 * reader takes for no key: it ends on every extension.
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

/** Bytes, and arrays, which are tuples. */
function objectKeyOf(key: object): string | undefined {
  if (pythonOriginOf(key) !== undefined) return undefined;
  if (key instanceof Uint8Array)
    return viewClassOf(key) === "Uint8Array" ? `b${Buffer.from(key).toString("hex")}` : undefined;
  if (!isArray(key) || !isBareArray(key)) return undefined;
  const parts = Array.from(key, pythonKeyOf);
  return parts.includes(undefined) ? undefined : `(${parts.join()})`;
}
