import { DeserializationError } from "../../errors/index.js";
import { MAX_DIGITS } from "./limits.js";

// Every integer of up to 15 digits is a double. Digits inside strings, such as versions, mostly follow a quote.
const LONG_NUMBER = /(?:^|[\s:,[])-?\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Refuses an integer with too many digits. The time to parse one grows faster than the number of its digits.
 *
 * @throws {@link DeserializationError} for more than {@link MAX_DIGITS} digits
 */
export function assertReadable(digits: string): void {
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
