import type { JsonValue } from "./json-value.js";
import { MAX_DIGITS } from "./limits.js";
import type { Place } from "./place.js";
import { constructorRecord } from "./records.js";

/** Encodes a number. JSON has no NaN, no infinities and no negative zero. */
export function encodeNumber(value: number): JsonValue {
  if (Object.is(value, -0)) return constructorRecord("Number", ["-0"]);
  return Number.isFinite(value) ? value : constructorRecord("Number", [String(value)]);
}

/** Encodes an integer as its decimal digits, and refuses one with more digits than a reader accepts. */
export function encodeBigInt(value: bigint, place: Place): JsonValue {
  // Counting hexadecimal digits is fast, and a number has at least as many decimal digits.
  const size = value < 0n ? -value : value;
  if (size.toString(16).length > MAX_DIGITS || String(size).length > MAX_DIGITS)
    throw place.error(`a BigInt of more than ${MAX_DIGITS} digits can't be stored`);
  return constructorRecord("BigInt", [String(value)]);
}

/** Encodes a string that JSONB refuses (U+0000, a lone surrogate) as its UTF-16 code units. */
export function encodeCodeUnits(value: string): JsonValue {
  return constructorRecord("String", [
    Array.from({ length: value.length }, (_, index) => value.charCodeAt(index)),
  ]);
}

// With the flag `u` a pair of surrogates is one character of another category, so this matches lone surrogates only.
const REFUSED_BY_JSONB = /[\0\p{Surrogate}]/u;

/** Whether a JSONB column can store a string. */
export function isJsonbText(value: string): boolean {
  return !REFUSED_BY_JSONB.test(value);
}
