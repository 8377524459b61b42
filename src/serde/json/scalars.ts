import { isIndexBelow } from "../objects/built-ins.js";
import { type JsonValue, MAX_DIGITS, type JsonObject } from "./json-value.js";
import type { JsonPlace } from "./encoder.js";
import { constructorRecord, onlyArgumentOf } from "./records.js";
import type { Revived } from "./decoder.js";
import { DeserializationError } from "../../errors/index.js";

/** Encodes a number. JSON has no NaN, no infinities and no negative zero. */
export function numberToJson(value: number): JsonValue {
  if (Object.is(value, -0)) return constructorRecord("Number", ["-0"]);
  return Number.isFinite(value) ? value : constructorRecord("Number", [String(value)]);
}

/** Encodes an integer as its decimal digits, and refuses one with more digits than a reader accepts. */
export function bigIntToJson(value: bigint, place: JsonPlace): JsonValue {
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
  if (!Array.isArray(units) || !units.every((unit) => isIndexBelow(0x1_0000, unit))) return undefined;
  return { value: units.map((unit) => String.fromCharCode(unit)).join("") };
}

// Every integer of up to 15 digits is a double. Digits inside strings, such as versions, mostly follow a quote.
const LONG_NUMBER = /(?:^|[\s:,[])-?\d{16}/;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Refuses an integer with too many digits. The time to parse one grows faster than the number of its digits.
 *
 * @throws {@link DeserializationError} for more than {@link MAX_DIGITS} digits
 */
function assertReadable(digits: string): void {
  if (digits.length - (digits.startsWith("-") ? 1 : 0) > MAX_DIGITS)
    throw new DeserializationError(`an integer has more than ${MAX_DIGITS} digits`, { typeTag: "json" });
}

/** Whether JSON text may hold an integer that `JSON.parse` would change. */
export function mayHoldBigIntegers(text: string): boolean {
  return LONG_NUMBER.test(text);
}

/**
 * The source of JSON text. JSONB prints all digits of a number that JSON text writes with an exponent, such as 1e22. The header of a
 * checkpoint holds no number whose digits end beyond 2^53: what is spelled like one there is an integer, of Python or a BigInt.
 * An item of a store is JSONB whose plain objects keep their keys.
 */
export type JsonOrigin = "json" | "jsonb" | "header" | "item";

/**
 * Replaces each integer of valid JSON text that no double prints with the same digits by the record of a BigInt. Python writes
 * such integers as they are, and `JSON.parse` would change them.
 *
 * @example
 * ```ts
 * quoteBigIntegers("[9007199254740993, 9007199254740992]");
 * // [{"lc":2,"type":"constructor","id":["BigInt"],"method":null,"args":["9007199254740993"],"kwargs":{}}, 9007199254740992]
 * ```
 */
export function quoteBigIntegers(text: string, origin: JsonOrigin = "json"): string {
  const quote = (digits: string): string => quoteIfBig(digits, origin);
  const parts: string[] = [];
  let position = 0;
  while (position < text.length) {
    const start = text.indexOf('"', position);
    const end = start === -1 ? text.length : start;
    parts.push(text.slice(position, end).replace(NUMBER, quote));
    position = start === -1 ? end : endOfString(text, start);
    parts.push(text.slice(end, position));
  }
  return parts.join("");
}

function quoteIfBig(digits: string, origin: JsonOrigin): string {
  assertReadable(digits);
  if (!isReadAsBigInt(digits, origin)) return digits;
  return `{"lc":2,"type":"constructor","id":["BigInt"],"method":null,"args":["${digits}"],"kwargs":{}}`;
}

/** Whether an integer is read as a BigInt: in a header beyond 2^53, elsewhere where no double is printed with the same digits. */
export function isReadAsBigInt(digits: string, origin: JsonOrigin): boolean {
  if (!LONG_INTEGER.test(digits)) return false;
  if (origin === "header") return !Number.isSafeInteger(Number(digits));
  const printed = String(Number(digits));
  return (origin === "json" ? printed : withoutExponent(printed)) !== digits;
}

/** Writes `1.5e+22` as `15000000000000000000000`. */
function withoutExponent(printed: string): string {
  const [mantissa = "", exponent] = printed.split("e+");
  if (exponent === undefined) return printed;
  const [whole = "", fraction = ""] = mantissa.split(".");
  return whole + fraction.padEnd(Number(exponent), "0");
}

/** The position after the string that begins at `start`. A quote after an odd number of backslashes is part of the string. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    if (backslashesBefore(text, quote) % 2 === 0) return quote + 1;
  }
  return text.length;
}

function backslashesBefore(text: string, position: number): number {
  let count = 0;
  while (text[position - 1 - count] === "\\") count += 1;
  return count;
}
