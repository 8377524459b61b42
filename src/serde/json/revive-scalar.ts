import { assertReadable } from "./big-integers.js";
import type { Revived } from "./decoder.js";
import type { JsonObject } from "./json-value.js";
import { onlyArgumentOf } from "./records.js";

const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** Revives a number that JSON can't hold. Its text must be the one that `String` returns. */
export function reviveNumber(record: JsonObject): Revived | undefined {
  const text = onlyArgumentOf(record);
  if (text === "-0") return { value: -0 };
  const value = typeof text === "string" ? Number(text) : undefined;
  return value !== undefined && String(value) === text ? { value } : undefined;
}

/** Revives an integer of arbitrary size. */
export function reviveBigInt(record: JsonObject): Revived | undefined {
  const digits = onlyArgumentOf(record);
  if (typeof digits !== "string" || !INTEGER.test(digits)) return undefined;
  assertReadable(digits);
  return { value: BigInt(digits) };
}

/** Revives a string from its UTF-16 code units. */
export function reviveString(record: JsonObject): Revived | undefined {
  const units = onlyArgumentOf(record);
  if (!Array.isArray(units) || !units.every(isCodeUnit)) return undefined;
  return { value: units.map((unit) => String.fromCharCode(unit)).join("") };
}

function isCodeUnit(unit: unknown): unit is number {
  return typeof unit === "number" && Number.isInteger(unit) && unit >= 0 && unit <= 0xffff;
}
