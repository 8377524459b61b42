import { DeserializationError } from "../../errors.js";
import { MAX_DIGITS } from "./limits.js";

// Up to 15 digits every integer is a double. Those in strings, such as versions, mostly follow a quote.
const LONG_NUMBER = /(?:^|[\s:,[])-?\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Refuses an integer that takes long to read: the time grows faster than the digits.
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
 * Replaces each integer of valid JSON text that a double can't print again digit for digit by the record of a BigInt.
 * Python writes such integers as they are, and `JSON.parse` would read them as other ones.
 *
 * @example
 * ```ts
 * quoteBigIntegers("[9007199254740993, 9007199254740992]");
 * // [{"lc":2,"type":"constructor","id":["BigInt"],"args":["9007199254740993"]}, 9007199254740992]
 * ```
 */
export function quoteBigIntegers(text: string): string {
  const parts: string[] = [];
  let position = 0;
  while (position < text.length) {
    const quote = text.indexOf('"', position);
    const end = quote === -1 ? text.length : quote;
    parts.push(text.slice(position, end).replace(NUMBER, quoteIfBig));
    position = quote === -1 ? end : endOfString(text, quote);
    parts.push(text.slice(end, position));
  }
  return parts.join("");
}

function quoteIfBig(digits: string): string {
  assertReadable(digits);
  if (!LONG_INTEGER.test(digits) || String(Number(digits)) === digits) return digits;
  return `{"lc":2,"type":"constructor","id":["BigInt"],"args":["${digits}"]}`;
}

/** Where the string that begins at `start` is over. A quote after an odd number of backslashes is part of it. */
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
