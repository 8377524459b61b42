import { isPlainObject } from "../plain-object.js";

/** Whether the value is an object, not null. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether the value is an array. Unlike `Array.isArray` it narrows to `unknown[]`, not `any[]`. */
export function isArray(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** Whether the value is a plain object, whose properties may be read by name. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value) && isPlainObject(value);
}
