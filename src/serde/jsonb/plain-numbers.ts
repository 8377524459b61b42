import { isReadAsBigInt } from "../json/big-integers.js";

/** The record of a BigInt in the JSON text of `encodeJsonb`. Strings can't contain it, because their quotes are escaped. */
const BIG_INTEGER_RECORD =
  /\{"lc":2,"type":"constructor","id":\["BigInt"\],"method":null,"args":\["(-?\d+)"\],"kwargs":\{\}\}/g;

/**
 * Writes as numbers the integers that `encodeJsonb` writes as records although a reader of JSONB recognizes them: those that no double can
 * hold. So programs in other languages get the 64-bit integers back that they stored, and comparisons find them.
 *
 * @example
 * ```ts
 * withPlainNumbers('{"lc":2,"type":"constructor","id":["BigInt"],"method":null,"args":["9007199254740993"],"kwargs":{}}'); // 9007199254740993
 * ```
 */
export function withPlainNumbers(text: string): string {
  return text.replace(BIG_INTEGER_RECORD, (record, digits: string) =>
    isReadAsBigInt(digits, "jsonb") ? digits : record,
  );
}
